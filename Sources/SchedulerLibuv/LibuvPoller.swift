#if Libuv
    import CLibuv
    public import ReactiveCore
    import SchedulerEngine

    /// Waits in `uv_run`, with one `uv_poll_t` for each descriptor.
    ///
    /// Owned here: the `uv_loop_t` and the handles. A handle's memory belongs to libuv from `uv_poll_init` until its close
    /// callback, which is the only place that frees it. libuv's clock knows milliseconds only, so deadlines are a timerfd,
    /// polled like everything else.
    ///
    /// Safe: the loop is initialized by `init` and freed by `deinit`, after the last handle.
    @safe
    public struct LibuvPoller: Poller, ~Copyable {
        private let loop: UnsafeMutablePointer<uv_loop_t>
        private let buffer = ReadyBuffer()
        /// By descriptor.
        private var handles: [PollHandle?] = []
        private var timer: TimerDescriptor
        private var isTimerWatched = false
        private static let timerToken = UInt64.max - 16

        public init() throws(LoopError) {
            // libuv ends the process where its first loop gets no pipe for signals.
            try SpareDescriptors.check("a uv_loop_t")
            let made = UnsafeMutablePointer<uv_loop_t>.allocate(capacity: 1)
            let code = unsafe uv_loop_init(made)
            if code != 0 {
                unsafe made.deallocate()
                throw LoopError.uv("uv_loop_init", code)
            }
            do {
                timer = try TimerDescriptor()
            } catch {
                unsafe uv_loop_close(made)
                unsafe made.deallocate()
                throw error
            }
            unsafe loop = made
        }

        deinit {
            // Closing is asynchronous: every handle, then a run for the close callbacks, then the loop (uv_loop_close says
            // EBUSY before that). Handles that C code has left behind are closed too, so that nothing refers to the loop.
            for case let handle? in handles { handle.close() }
            unsafe uv_walk(loop, closeOnWalk, nil)
            while unsafe uv_run(loop, UV_RUN_NOWAIT) != 0 {}
            let code = unsafe uv_loop_close(loop)
            precondition(code == 0, unsafe "uv_loop_close: \(String(cString: uv_strerror(code)))")
            unsafe loop.deallocate()
        }

        public var nativeHandle: UnsafeMutableRawPointer? { unsafe UnsafeMutableRawPointer(loop) }

        public var pollDescriptor: Int32? { unsafe uv_backend_fd(loop) }

        public mutating func register(
            _ descriptor: Int32,
            _ interest: Readiness,
            token: UInt64
        ) throws(LoopError) {
            let handle = try unsafe PollHandle(loop, descriptor, token, reportingTo: buffer)
            handle.interest = interest
            do {
                try start(handle, interest, descriptor)
            } catch {
                handle.close()
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
            handle.token = token
            do {
                try start(handle, interest, descriptor)
            } catch {
                // libuv has stopped it.
                _ = handle.start(handle.interest)
                throw error
            }
            handle.interest = interest
        }

        public mutating func deregister(_ descriptor: Int32) {
            guard let handle = handles[Int(descriptor)] else { return }
            handles[Int(descriptor)] = nil
            handle.close()
        }

        public mutating func wait(
            until deadline: PollDeadline,
            _ ready: (_ token: UInt64, Readiness) -> Void
        ) throws(LoopError) {
            switch deadline {
            case .now: unsafe uv_run(loop, UV_RUN_NOWAIT)
            case .never:
                timer.disarm()
                unsafe uv_run(loop, UV_RUN_ONCE)
            case .at(let instant):
                try arm(instant)
                unsafe uv_run(loop, UV_RUN_ONCE)
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

        private func start(_ handle: PollHandle, _ interest: Readiness, _ descriptor: Int32) throws(LoopError) {
            let code = handle.start(interest)
            if code != 0 { throw LoopError.watching(descriptor, code) }
        }
    }

    /// What is left is C code's: closed, but not ours to free.
    private func closeOnWalk(_ handle: UnsafeMutablePointer<uv_handle_t>?, _: UnsafeMutableRawPointer?) {
        guard let handle = unsafe handle, unsafe uv_is_closing(handle) == 0 else { return }
        unsafe uv_close(handle, nil)
    }

    extension LoopError {
        static func uv(_ operation: String, _ code: Int32) -> LoopError {
            LoopError(.systemCall, errno: -code, unsafe "\(operation): \(String(cString: uv_strerror(code)))")
        }
    }
#endif
