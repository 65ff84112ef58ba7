// SPDX-License-Identifier: MIT
#if Libuv
    import CLibuv
    import Glibc
    import ReactiveCore
    import SchedulerEngine

    /// A `uv_poll_t` together with its token and its interest. The loop has the buffer for its events.
    ///
    /// Safe: libuv uses the memory from `init` until the close callback, which frees it. The poller forgets a handle
    /// when it closes the handle. The poller owns the loop with its buffer, and outlives every callback.
    @safe
    struct PollHandle {
        private let registration: UnsafeMutablePointer<reactive_uv_registration>

        fileprivate init(_ native: UnsafeMutablePointer<uv_poll_t>) {
            unsafe registration = UnsafeMutableRawPointer(native).assumingMemoryBound(to: reactive_uv_registration.self)
        }

        /// Creates a handle that reports nothing yet.
        init(
            _ loop: UnsafeMutablePointer<uv_loop_t>,
            _ descriptor: Int32,
            _ token: UInt64
        ) throws(LoopError) {
            unsafe registration = .allocate(capacity: 1)
            unsafe registration.initialize(to: reactive_uv_registration())
            self.token = token
            let flags = fcntl(descriptor, F_GETFL)
            let code = unsafe uv_poll_init(loop, native, descriptor)
            // libuv has made it nonblocking. Other loops leave the flags unchanged.
            if flags >= 0 && flags & O_NONBLOCK == 0 { _ = fcntl(descriptor, F_SETFL, flags) }
            if code != 0 {
                unsafe registration.deallocate()
                throw LoopError.watching(descriptor, -code)
            }
        }

        private var native: UnsafeMutablePointer<uv_poll_t> {
            unsafe UnsafeMutableRawPointer(registration).assumingMemoryBound(to: uv_poll_t.self)
        }

        var token: UInt64 {
            get { unsafe reactive_uv_token(native) }
            nonmutating set { unsafe reactive_uv_set_token(native, newValue) }
        }

        /// The readiness that the handle reports.
        var interest: Readiness {
            get { unsafe Readiness(rawValue: registration.pointee.interest) }
            nonmutating set { unsafe registration.pointee.interest = newValue.rawValue }
        }

        /// Changes the reported readiness to `interest`. Returns 0, or the error number with which the kernel refuses
        /// the descriptor. After an error the handle reports what it reported before.
        func start(_ interest: Readiness) -> Int32 {
            if interest.isEmpty { return unsafe -uv_poll_stop(native) }
            if isActive { return unsafe reactive_uv_poll_change(native, interest.libuv) }
            let code = unsafe uv_poll_start(native, interest.libuv, pollReady)
            if code != 0 { return -code }
            let refusal = unsafe reactive_uv_poll_commit(native)
            if refusal != 0 { unsafe uv_poll_stop(native) }
            return refusal
        }

        private var isActive: Bool {
            unsafe native.withMemoryRebound(to: uv_handle_t.self, capacity: 1) { handle in
                unsafe uv_is_active(handle) != 0
            }
        }

        private var loop: UnsafeMutablePointer<reactive_uv_loop> {
            unsafe UnsafeMutableRawPointer(native.pointee.loop).assumingMemoryBound(to: reactive_uv_loop.self)
        }

        /// Whether the current wait has reported the handle. If more than 1023 descriptors are ready, `uv_run` polls
        /// several times, and calls back for a descriptor each time.
        fileprivate var isReported: Bool { unsafe registration.pointee.reported == loop.pointee.wait }

        /// Reports the readiness, at most once in a wait.
        fileprivate func append(_ readiness: Readiness) {
            if isReported { return }
            unsafe registration.pointee.reported = loop.pointee.wait
            unsafe Unmanaged<ReadyBuffer>.fromOpaque(loop.pointee.buffer)._withUnsafeGuaranteedRef { buffer in
                buffer.append(token, readiness)
            }
        }

        /// libuv has stopped the handle. It is started again at the end of the wait, because libuv 1.45 to 1.48 would
        /// remove its descriptor from the set after the callback.
        fileprivate func mustRestart() { stopped.handles.append(self) }

        private var stopped: StoppedHandles {
            unsafe Unmanaged<StoppedHandles>.fromOpaque(loop.pointee.stopped).takeUnretainedValue()
        }

        /// Removes the descriptor from epoll immediately. The close callback frees the memory.
        func close() {
            stopped.handles.removeAll { unsafe $0.registration == registration }
            unsafe native.withMemoryRebound(to: uv_handle_t.self, capacity: 1) { handle in
                unsafe uv_close(handle, pollClosed)
            }
        }

        fileprivate var isHungUp: Bool {
            var request = pollfd(fd: -1, events: 0, revents: 0)
            unsafe native.withMemoryRebound(to: uv_handle_t.self, capacity: 1) { handle in
                _ = unsafe uv_fileno(handle, &request.fd)
            }
            return unsafe poll(&request, 1, 0) == 1
        }
    }

    /// The handles of one loop that libuv has stopped, and that must be started again.
    final class StoppedHandles {
        fileprivate(set) var handles: [PollHandle] = []

        /// Starts the handles again. Those for which the kernel has no memory remain.
        func restart() {
            handles.removeAll { handle in
                let refusal = handle.start(handle.interest)
                // Another error is permanent, for example `EBADF`.
                return refusal != ENOMEM && refusal != ENOSPC
            }
        }
    }

    private func pollReady(_ native: UnsafeMutablePointer<uv_poll_t>?, _ status: Int32, _ events: Int32) {
        guard let native = unsafe native else { return }
        let handle = unsafe PollHandle(native)
        var readiness: Readiness = []
        if status < 0 {
            // For EPOLLERR, libuv reports UV_EBADF and stops the handle. The descriptor must stay ready until a read or
            // write returns the error, so start the handle again.
            readiness = [.read, .write]
            handle.mustRestart()
        } else {
            // Before the system call for a hang-up, because this may be the 48th callback of a wait.
            if handle.isReported { return }
            if events & Int32(UV_READABLE.rawValue) != 0 { readiness.insert(.read) }
            if events & Int32(UV_WRITABLE.rawValue) != 0 { readiness.insert(.write) }
            // libuv does not report a hang-up that occurs together with other readiness.
            if readiness != handle.interest, handle.isHungUp { readiness = [.read, .write] }
        }
        handle.append(readiness)
    }

    private func pollClosed(_ handle: UnsafeMutablePointer<uv_handle_t>?) {
        guard let handle = unsafe handle else { return }
        unsafe UnsafeMutableRawPointer(handle).deallocate()
    }

    extension Readiness {
        fileprivate var libuv: Int32 {
            (contains(.read) ? Int32(UV_READABLE.rawValue) : 0)
                | (contains(.write) ? Int32(UV_WRITABLE.rawValue) : 0)
        }
    }
#endif
