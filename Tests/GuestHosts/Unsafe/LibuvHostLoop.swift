// SPDX-License-Identifier: MIT
#if Libuv
    import CLibuv

    /// A `uv_loop_t` as another program would create it.
    ///
    /// Why `@unchecked Sendable` is correct: the pointer is constant, and only the driving thread uses the loop.
    package final class LibuvHostLoop: DrivenHost, @unchecked Sendable {
        private let loop: UnsafeMutablePointer<uv_loop_t>

        package init() {
            loop = .allocate(capacity: 1)
            precondition(uv_loop_init(loop) == 0, "uv_loop_init")
        }

        package var native: UnsafeMutableRawPointer { UnsafeMutableRawPointer(loop) }

        package func runOnce(waiting: Bool) { uv_run(loop, waiting ? UV_RUN_ONCE : UV_RUN_NOWAIT) }

        package func runToEnd() { while uv_run(loop, UV_RUN_DEFAULT) != 0 {} }

        package func close() {
            let code = uv_loop_close(loop)
            precondition(code == 0, "uv_loop_close: \(String(cString: uv_strerror(code)))")
            loop.deallocate()
        }
    }
#endif
