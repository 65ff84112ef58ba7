#if Libuv
    import CLibuv
    import Glibc
    import ReactiveCore
    import SchedulerEngine

    /// A `uv_poll_t` of a poller's, by its address.
    ///
    /// What we have to know of it: its token, which lies behind it in the same allocation, and in its `data` where its events go and what
    /// it is to report, in one word. There is one for each connection, and this way it takes what a handle of C code's takes.
    ///
    /// Safe: the memory is libuv's from `init` until the close callback, the only place that frees it, and the poller forgets a handle
    /// when it closes it. The poller owns the buffer, and outlives every callback.
    @safe
    struct PollHandle {
        private static let size = unsafe MemoryLayout<uv_poll_t>.size
        /// An object's address ends in zeros.
        private static let interestBits: UInt = 3

        private let native: UnsafeMutablePointer<uv_poll_t>

        fileprivate init(_ native: UnsafeMutablePointer<uv_poll_t>) { unsafe self.native = native }

        /// Makes a handle that reports nothing yet.
        init(_ loop: UnsafeMutablePointer<uv_loop_t>, _ descriptor: Int32, _ token: UInt64) throws(LoopError) {
            let memory = UnsafeMutableRawPointer.allocate(
                byteCount: Self.size + MemoryLayout<UInt64>.size,
                alignment: 16
            )
            unsafe native = memory.bindMemory(to: uv_poll_t.self, capacity: 1)
            setToken(token)
            let code = unsafe uv_poll_init(loop, native, descriptor)
            if code != 0 {
                unsafe native.deallocate()
                throw LoopError.watching(descriptor, -code)
            }
        }

        func setToken(_ token: UInt64) {
            unsafe UnsafeMutableRawPointer(native).storeBytes(of: token, toByteOffset: Self.size, as: UInt64.self)
        }

        private var token: UInt64 {
            unsafe UnsafeRawPointer(native).load(fromByteOffset: Self.size, as: UInt64.self)
        }

        /// Reports that from now on. 0, or the error number with which the kernel refuses the descriptor; the handle is stopped then.
        func start(_ interest: Readiness) -> Int32 {
            if interest.isEmpty { return unsafe -uv_poll_stop(native) }
            let code = unsafe uv_poll_start(native, interest.libuv, pollReady)
            if code != 0 { return -code }
            let refusal = unsafe reactive_uv_poll_commit(native)
            if refusal != 0 { unsafe uv_poll_stop(native) }
            return refusal
        }

        /// Sets where its events go, and what it is to report.
        func set(_ buffer: ReadyBuffer, _ interest: Readiness) {
            let address = unsafe UInt(bitPattern: Unmanaged.passUnretained(buffer).toOpaque())
            unsafe native.pointee.data = UnsafeMutableRawPointer(bitPattern: address | UInt(interest.rawValue))
        }

        var interest: Readiness {
            unsafe Readiness(rawValue: UInt8(UInt(bitPattern: native.pointee.data) & Self.interestBits))
        }

        fileprivate func append(_ readiness: Readiness) {
            let address = unsafe UInt(bitPattern: native.pointee.data) & ~Self.interestBits
            guard let buffer = unsafe UnsafeRawPointer(bitPattern: address) else {
                preconditionFailure("a handle without a buffer")
            }
            unsafe Unmanaged<ReadyBuffer>.fromOpaque(buffer)._withUnsafeGuaranteedRef { buffer in
                buffer.append(token, readiness)
            }
        }

        /// Leaves epoll at once; only the memory waits for the callback.
        func close() {
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

    private func pollReady(_ native: UnsafeMutablePointer<uv_poll_t>?, _ status: Int32, _ events: Int32) {
        guard let native = unsafe native else { return }
        let handle = unsafe PollHandle(native)
        let interest = handle.interest
        var readiness: Readiness = []
        if status < 0 {
            // libuv answers EPOLLERR with UV_EBADF and stops the handle. The next read or write tells what it was, and until
            // somebody has asked, the descriptor has to stay ready: it is started again.
            readiness = [.read, .write]
            _ = handle.start(interest)
        } else {
            if events & Int32(UV_READABLE.rawValue) != 0 { readiness.insert(.read) }
            if events & Int32(UV_WRITABLE.rawValue) != 0 { readiness.insert(.write) }
            // libuv says nothing of a hang-up where there is something else to say.
            if readiness != interest, handle.isHungUp { readiness = [.read, .write] }
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
