// SPDX-License-Identifier: MIT
import CReactive
import Glibc

/// Serves the main queue by hand, as `RunLoop.main` does.
package enum MainQueueOwner {
    /// Whether a block is queued on the main queue.
    package static var isCalled: Bool { isCalled(within: 0) }

    /// Runs the queued blocks. Waits up to 10 ms if there are none.
    static func serve() {
        guard isCalled(within: 10) else { return }
        reactive_eventfd_clear(reactive_main_queue_handle())
        reactive_main_queue_drain()
    }

    private static func isCalled(within milliseconds: Int32) -> Bool {
        var request = pollfd(fd: reactive_main_queue_handle(), events: Int16(POLLIN), revents: 0)
        // Safe: there is one request.
        return unsafe poll(&request, 1, milliseconds) == 1
    }
}
