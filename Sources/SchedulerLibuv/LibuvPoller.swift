#if Libuv
    import CLibuv
    import Glibc
    public import ReactiveCore
    import SchedulerEngine

    /// Waits in `uv_run`, with one `uv_poll_t` for each descriptor.
    ///
    /// Owned here: the `uv_loop_t` and the handles. A handle's memory belongs to libuv from `uv_poll_init` until its close
    /// callback, which is the only place that frees it. libuv's clock knows milliseconds only, so deadlines are a timerfd,
    /// polled like everything else.
    public struct LibuvPoller: Poller, ~Copyable {
        private let loop: UnsafeMutablePointer<uv_loop_t>
        private let buffer = ReadyBuffer()
        /// By descriptor.
        private var handles: [UnsafeMutablePointer<uv_poll_t>?] = []
        private var timer: TimerDescriptor
        private var isTimerWatched = false
        private static let timerToken = UInt64.max - 16

        public init() throws(LoopError) {
            // libuv ends the process where its first loop gets no pipe for signals.
            try SpareDescriptors.check("a uv_loop_t")
            let made = UnsafeMutablePointer<uv_loop_t>.allocate(capacity: 1)
            let code = uv_loop_init(made)
            if code != 0 {
                made.deallocate()
                throw LoopError.uv("uv_loop_init", code)
            }
            do {
                timer = try TimerDescriptor()
            } catch {
                uv_loop_close(made)
                made.deallocate()
                throw error
            }
            loop = made
        }

        deinit {
            // Closing is asynchronous: every handle, then a run for the close callbacks, then the loop (uv_loop_close says
            // EBUSY before that). Handles that C code has left behind are closed too, so that nothing refers to the loop.
            for case let handle? in handles { close(handle) }
            uv_walk(loop, closeOnWalk, nil)
            while uv_run(loop, UV_RUN_NOWAIT) != 0 {}
            let code = uv_loop_close(loop)
            precondition(code == 0, "uv_loop_close: \(String(cString: uv_strerror(code)))")
            loop.deallocate()
        }

        public var nativeHandle: UnsafeMutableRawPointer? { UnsafeMutableRawPointer(loop) }

        public var pollDescriptor: Int32? { uv_backend_fd(loop) }

        public mutating func register(
            _ descriptor: Int32,
            _ interest: Readiness,
            token: UInt64
        ) throws(LoopError) {
            let handle = Handle.allocate(token)
            let code = uv_poll_init(loop, handle, descriptor)
            if code != 0 {
                handle.deallocate()
                throw LoopError.watching(descriptor, -code)
            }
            Handle.set(buffer, interest, handle)
            do {
                try start(handle, interest, descriptor)
            } catch {
                close(handle)
                throw error
            }
            while handles.count <= Int(descriptor) { handles.append(nil) }
            handles[Int(descriptor)] = handle
        }

        public mutating func modify(
            _ descriptor: Int32,
            _ interest: Readiness,
            token: UInt64
        ) throws(LoopError) {
            guard let handle = handles[Int(descriptor)] else { return }
            Handle.setToken(token, handle)
            do {
                try start(handle, interest, descriptor)
            } catch {
                // libuv has stopped it.
                _ = Handle.start(handle, Handle.interest(handle))
                throw error
            }
            Handle.set(buffer, interest, handle)
        }

        public mutating func deregister(_ descriptor: Int32) {
            guard let handle = handles[Int(descriptor)] else { return }
            handles[Int(descriptor)] = nil
            // uv_close leaves epoll at once; only the memory waits for the callback.
            close(handle)
        }

        public mutating func wait(
            until deadline: PollDeadline,
            _ ready: (_ token: UInt64, Readiness) -> Void
        ) throws(LoopError) {
            switch deadline {
            case .now: uv_run(loop, UV_RUN_NOWAIT)
            case .never:
                timer.disarm()
                uv_run(loop, UV_RUN_ONCE)
            case .at(let instant):
                try arm(instant)
                uv_run(loop, UV_RUN_ONCE)
            }
            buffer.drain(ready)
        }

        private mutating func arm(_ instant: LoopInstant) throws(LoopError) {
            if !isTimerWatched {
                try register(timer.descriptor, .read, token: Self.timerToken)
                isTimerWatched = true
            }
            timer.arm(instant)
        }

        private func start(
            _ handle: UnsafeMutablePointer<uv_poll_t>,
            _ interest: Readiness,
            _ descriptor: Int32
        ) throws(LoopError) {
            let code = Handle.start(handle, interest)
            if code != 0 { throw LoopError.watching(descriptor, code) }
        }

        private func close(_ handle: UnsafeMutablePointer<uv_poll_t>) {
            handle.withMemoryRebound(to: uv_handle_t.self, capacity: 1) { handle in
                uv_close(handle, pollClosed)
            }
        }
    }

    /// What we have to know of a handle: its token, which lies behind it in the same allocation, and in its `data` where its events go
    /// and what it is to report, in one word. There is one for each connection, and this way it takes what a handle of C code's takes.
    private enum Handle {
        private static let size = MemoryLayout<uv_poll_t>.size
        /// An object's address ends in zeros.
        private static let interestBits: UInt = 3

        static func allocate(_ token: UInt64) -> UnsafeMutablePointer<uv_poll_t> {
            let memory = UnsafeMutableRawPointer.allocate(byteCount: size + MemoryLayout<UInt64>.size, alignment: 16)
            let handle = memory.bindMemory(to: uv_poll_t.self, capacity: 1)
            setToken(token, handle)
            return handle
        }

        static func setToken(_ token: UInt64, _ handle: UnsafeMutablePointer<uv_poll_t>) {
            UnsafeMutableRawPointer(handle).storeBytes(of: token, toByteOffset: size, as: UInt64.self)
        }

        static func token(_ handle: UnsafeMutablePointer<uv_poll_t>) -> UInt64 {
            UnsafeRawPointer(handle).load(fromByteOffset: size, as: UInt64.self)
        }

        /// Reports that from now on. 0, or the error number with which the kernel refuses the descriptor; the handle is stopped then.
        static func start(_ handle: UnsafeMutablePointer<uv_poll_t>, _ interest: Readiness) -> Int32 {
            if interest.isEmpty { return -uv_poll_stop(handle) }
            let code = uv_poll_start(handle, interest.libuv, pollReady)
            if code != 0 { return -code }
            let refusal = reactive_uv_poll_commit(handle)
            if refusal != 0 { uv_poll_stop(handle) }
            return refusal
        }

        /// The poller owns the buffer, and outlives every callback.
        static func set(_ buffer: ReadyBuffer, _ interest: Readiness, _ handle: UnsafeMutablePointer<uv_poll_t>) {
            let address = UInt(bitPattern: Unmanaged.passUnretained(buffer).toOpaque())
            handle.pointee.data = UnsafeMutableRawPointer(bitPattern: address | UInt(interest.rawValue))
        }

        static func interest(_ handle: UnsafeMutablePointer<uv_poll_t>) -> Readiness {
            Readiness(rawValue: UInt8(UInt(bitPattern: handle.pointee.data) & interestBits))
        }

        static func append(_ readiness: Readiness, _ handle: UnsafeMutablePointer<uv_poll_t>) {
            let address = UInt(bitPattern: handle.pointee.data) & ~interestBits
            guard let buffer = UnsafeRawPointer(bitPattern: address) else {
                preconditionFailure("a handle without a buffer")
            }
            Unmanaged<ReadyBuffer>.fromOpaque(buffer)._withUnsafeGuaranteedRef { buffer in
                buffer.append(token(handle), readiness)
            }
        }
    }

    private func pollReady(_ handle: UnsafeMutablePointer<uv_poll_t>?, _ status: Int32, _ events: Int32) {
        guard let handle else { return }
        let interest = Handle.interest(handle)
        var readiness: Readiness = []
        if status < 0 {
            // libuv answers EPOLLERR with UV_EBADF and stops the handle. The next read or write tells what it was, and until
            // somebody has asked, the descriptor has to stay ready: it is started again.
            readiness = [.read, .write]
            _ = Handle.start(handle, interest)
        } else {
            if events & Int32(UV_READABLE.rawValue) != 0 { readiness.insert(.read) }
            if events & Int32(UV_WRITABLE.rawValue) != 0 { readiness.insert(.write) }
            // libuv says nothing of a hang-up where there is something else to say.
            if readiness != interest, isHungUp(handle) { readiness = [.read, .write] }
        }
        Handle.append(readiness, handle)
    }

    private func isHungUp(_ handle: UnsafeMutablePointer<uv_poll_t>) -> Bool {
        var request = pollfd(fd: -1, events: 0, revents: 0)
        handle.withMemoryRebound(to: uv_handle_t.self, capacity: 1) { handle in
            _ = uv_fileno(handle, &request.fd)
        }
        return poll(&request, 1, 0) == 1
    }

    private func pollClosed(_ handle: UnsafeMutablePointer<uv_handle_t>?) {
        guard let handle else { return }
        UnsafeMutableRawPointer(handle).deallocate()
    }

    /// What is left is C code's: closed, but not ours to free.
    private func closeOnWalk(_ handle: UnsafeMutablePointer<uv_handle_t>?, _: UnsafeMutableRawPointer?) {
        guard let handle, uv_is_closing(handle) == 0 else { return }
        uv_close(handle, nil)
    }

    extension Readiness {
        fileprivate var libuv: Int32 {
            (contains(.read) ? Int32(UV_READABLE.rawValue) : 0)
                | (contains(.write) ? Int32(UV_WRITABLE.rawValue) : 0)
        }
    }

    extension LoopError {
        static func uv(_ operation: String, _ code: Int32) -> LoopError {
            LoopError(.systemCall, errno: -code, "\(operation): \(String(cString: uv_strerror(code)))")
        }
    }
#endif
