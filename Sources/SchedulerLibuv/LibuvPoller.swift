// SPDX-License-Identifier: MIT
#if Libuv
    import CLibuv
    import Glibc
    public import ReactiveCore
    import SchedulerEngine

    /// A poller that waits in `uv_run`, with one `uv_poll_t` for each descriptor.
    ///
    /// The poller owns the `uv_loop_t` and the handles. libuv uses a handle's memory from `uv_poll_init` until the
    /// close callback, and only that callback frees the memory. libuv's clock has a resolution of milliseconds. So
    /// deadlines use a timerfd, which libuv polls like every other descriptor.
    ///
    /// Safe: `init` initializes the loop, and `deinit` frees it after the last handle.
    @safe
    public struct LibuvPoller: Poller, ~Copyable {
        private let loop: UnsafeMutablePointer<uv_loop_t>
        private let buffer = ReadyBuffer()
        private let stopped = StoppedHandles()
        /// The handles, by descriptor.
        private var handles: [PollHandle?] = []
        private var timer: TimerDescriptor
        private var isTimerWatched = false

        /// Creates an empty set on a new `uv_loop_t`.
        ///
        /// - Throws: `systemCall` if the system has no descriptor or memory left.
        public init() throws(LoopError) {
            // libuv aborts the process if it cannot open a pipe for signals for its first loop.
            try SpareDescriptors.check("a uv_loop_t")
            let memory = UnsafeMutablePointer<reactive_uv_loop>.allocate(capacity: 1)
            let buffer = unsafe Unmanaged.passUnretained(buffer).toOpaque()
            let stopped = unsafe Unmanaged.passUnretained(stopped).toOpaque()
            unsafe memory.initialize(
                to: reactive_uv_loop(native: uv_loop_t(), buffer: buffer, wait: 0, stopped: stopped)
            )
            let made = unsafe UnsafeMutableRawPointer(memory).assumingMemoryBound(to: uv_loop_t.self)
            let code = unsafe uv_loop_init(made)
            if code != 0 {
                unsafe memory.deallocate()
                throw LoopError.uv("uv_loop_init", code)
            }
            do throws(LoopError) {
                // Registered now, because libuv aborts the process if the kernel refuses its descriptors in `uv_run`.
                let refusal = unsafe reactive_uv_loop_preregister(made)
                if refusal != 0 { throw LoopError.system("epoll_ctl for a uv_loop_t", refusal) }
                timer = try TimerDescriptor()
            } catch {
                unsafe uv_loop_close(made)
                unsafe memory.deallocate()
                throw error
            }
            unsafe loop = made
        }

        deinit {
            // Closing is asynchronous. First close every handle, then run the loop for the close callbacks, then close
            // the loop; an earlier `uv_loop_close` would return `UV_EBUSY`. Handles that C code has left open are
            // closed too, because they refer to the loop.
            for case let handle? in handles { handle.close() }
            unsafe uv_walk(loop, closeOnWalk, nil)
            while unsafe uv_run(loop, UV_RUN_NOWAIT) != 0 {}
            let code = unsafe uv_loop_close(loop)
            if code != 0 { fatalError(unsafe "uv_loop_close failed: \(String(cString: uv_strerror(code)))") }
            unsafe loop.deallocate()
        }

        /// The `uv_loop_t *`. C code may add handles on the loop's thread, and must close them before the loop is
        /// disposed.
        public var nativeHandle: UnsafeMutableRawPointer? { unsafe UnsafeMutableRawPointer(loop) }

        /// libuv's own epoll descriptor (`uv_backend_fd`).
        public var pollDescriptor: Int32? { unsafe uv_backend_fd(loop) }

        /// Adds a descriptor to the set. A descriptor with an empty interest is never reported (rule N23).
        ///
        /// - Throws: `badDescriptor` if it is not open (`EBADF`) or the system cannot wait for its kind (`EPERM`);
        ///   `systemCall` otherwise.
        public mutating func register(
            _ descriptor: Int32,
            _ interest: Readiness,
            token: UInt64
        ) throws(LoopError) {
            let handle = try unsafe PollHandle(loop, descriptor, token)
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

        /// Changes the interest and the token of a registered descriptor.
        ///
        /// - Throws: The errors of ``register(_:_:token:)``. After an error, the interest and the token are unchanged.
        public mutating func modify(
            _ descriptor: Int32,
            _ interest: Readiness,
            token: UInt64
        ) throws(LoopError) {
            guard let handle = handles[Int(descriptor)] else { return }
            try start(handle, interest, descriptor)
            handle.interest = interest
            handle.token = token
        }

        /// Removes a descriptor from the set. The descriptor may already be closed.
        public mutating func deregister(_ descriptor: Int32) {
            guard let handle = handles[Int(descriptor)] else { return }
            handles[Int(descriptor)] = nil
            handle.close()
        }

        /// Waits until a descriptor is ready or the deadline is reached, then reports a batch of events.
        ///
        /// - Throws: The errors of ``register(_:_:token:)``: the first wait with a deadline registers the timerfd.
        public mutating func wait(
            until deadline: PollDeadline,
            _ ready: (_ token: UInt64, Readiness) -> Void
        ) throws(LoopError) {
            unsafe UnsafeMutableRawPointer(loop).assumingMemoryBound(to: reactive_uv_loop.self).pointee.wait &+= 1
            switch deadline {
            case .now: unsafe uv_run(loop, UV_RUN_NOWAIT)
            case .never:
                timer.disarm()
                block()
            case .at(let instant):
                if !isTimerWatched { try watchTimer() }
                timer.arm(instant)
                block()
            }
            if !stopped.handles.isEmpty { stopped.restart() }
            buffer.drain(ready)
        }

        /// Runs libuv until something is ready. While the kernel refuses a handle, blocks for at most 10 ms: no event
        /// reports that the kernel has memory again.
        private func block() {
            if stopped.handles.isEmpty {
                unsafe uv_run(loop, UV_RUN_ONCE)
                return
            }
            let limit = unsafe uv_backend_timeout(loop)
            var set = unsafe pollfd(fd: uv_backend_fd(loop), events: Int16(POLLIN), revents: 0)
            _ = unsafe poll(&set, 1, limit < 0 ? 10 : min(limit, 10))
            unsafe uv_run(loop, UV_RUN_NOWAIT)
        }

        private mutating func watchTimer() throws(LoopError) {
            try register(timer.descriptor, .read, token: TimerDescriptor.pollToken)
            isTimerWatched = true
        }

        private func start(_ handle: PollHandle, _ interest: Readiness, _ descriptor: Int32) throws(LoopError) {
            let code = handle.start(interest)
            if code != 0 { throw LoopError.watching(descriptor, code) }
        }
    }

    /// Closes a handle that C code has left open. This code does not own the handle's memory, and must not free it.
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
