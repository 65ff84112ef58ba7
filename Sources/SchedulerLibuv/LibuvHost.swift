// SPDX-License-Identifier: MIT
#if Libuv
    import CLibuv
    import ReactiveCore
    import SchedulerEngine

    /// Runs a loop as a guest of a `uv_loop_t`: the host runs the guest's turns. One `uv_poll_t` watches the guest's
    /// epoll set.
    ///
    /// This object owns the memory of the handle, which libuv uses from `uv_poll_init` until the close callback. Safe:
    /// the handle retains this object until that callback.
    ///
    /// Why `@unchecked Sendable` is right: `nativeHandle` is constant. The engine calls `attach` before other code can
    /// use the guest, and `detach` on the host's thread. libuv runs its callbacks on that thread too.
    @safe
    final class LibuvHost: LoopHost, @unchecked Sendable {
        private let loop: UnsafeMutablePointer<uv_loop_t>
        private var adoption: Adoption?
        private var handle: UnsafeMutablePointer<uv_poll_t>?
        private var turn: (@Sendable () -> Void)?

        init(_ native: UnsafeMutableRawPointer?) throws(LoopError) {
            adoption = try unsafe Adoption(of: native, "uv_loop_t")
            // Not nil: `Adoption` throws for nil.
            unsafe loop = native!.assumingMemoryBound(to: uv_loop_t.self)
        }

        var nativeHandle: UnsafeMutableRawPointer? { unsafe UnsafeMutableRawPointer(loop) }

        func attach(_ descriptor: Int32, turn: @escaping @Sendable () -> Void) throws(LoopError) {
            let made = UnsafeMutablePointer<uv_poll_t>.allocate(capacity: 1)
            let code = unsafe uv_poll_init(loop, made, descriptor)
            if code != 0 {
                unsafe made.deallocate()
                throw LoopError.uv("cannot attach a guest: uv_poll_init", code)
            }
            // The handle retains this object until its close callback.
            unsafe made.pointee.data = Unmanaged.passRetained(self).toOpaque()
            self.turn = turn
            unsafe handle = made
            start()
            // Registered with the kernel now: in `uv_run`, libuv would end the process if the kernel refused it. In a callback
            // of libuv 1.45 to 1.48, libuv removes the registration once more, so a refusal still ends the process.
            let refusal = unsafe reactive_uv_preregister(loop, &made.pointee.io_watcher)
            if refusal == 0 { return }
            unsafe uv_poll_stop(made)
            detach()
            throw LoopError.system("cannot attach a guest: epoll_ctl", refusal)
        }

        func detach() {
            guard let handle = unsafe handle else { return }
            unsafe self.handle = nil
            turn = nil
            adoption = nil
            unsafe handle.withMemoryRebound(to: uv_handle_t.self, capacity: 1) { handle in
                // The host has closed the handle itself. No callback reports when libuv stops using the memory, so the
                // memory is never freed.
                if unsafe uv_is_closing(handle) != 0 { return }
                unsafe uv_close(handle) { handle in
                    guard let handle = unsafe handle, let data = unsafe handle.pointee.data else { return }
                    unsafe Unmanaged<LibuvHost>.fromOpaque(data).release()
                    unsafe UnsafeMutableRawPointer(handle).deallocate()
                }
            }
        }

        private func start() {
            guard let handle = unsafe handle else { return }
            // `uv_poll_start` fails only if another handle watches the descriptor. Only this handle watches the guest's
            // epoll set.
            unsafe uv_poll_start(handle, Int32(UV_READABLE.rawValue)) { handle, status, _ in
                guard let data = unsafe handle?.pointee.data else { return }
                unsafe Unmanaged<LibuvHost>.fromOpaque(data).takeUnretainedValue().ready(status)
            }
        }

        private func ready(_ status: Int32) {
            // libuv stops a handle when it reports an error for it, so start it again. The guest's turn finds the cause
            // of the error.
            if status < 0 { start() }
            turn?()
        }
    }
#endif
