// SPDX-License-Identifier: MIT
#if Libevent
    import CLibevent

    /// An `event_base` as another program would create it.
    ///
    /// Why `@unchecked Sendable` is correct: the pointer is constant, and only the driving thread uses the base.
    package final class LibeventHostLoop: DrivenHost, @unchecked Sendable {
        private let base: OpaquePointer

        package init() {
            guard let made = event_base_new() else { preconditionFailure("event_base_new") }
            base = made
        }

        package var native: UnsafeMutableRawPointer { UnsafeMutableRawPointer(base) }

        package func runOnce(waiting: Bool) { event_base_loop(base, EVLOOP_ONCE | (waiting ? 0 : EVLOOP_NONBLOCK)) }

        // 1 means that there are no events.
        package func runToEnd() { while event_base_dispatch(base) == 0 {} }

        package func close() { event_base_free(base) }
    }
#endif
