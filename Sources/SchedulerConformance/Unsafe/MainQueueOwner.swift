import CReactive
import Glibc

/// Serves the main queue by hand, as `RunLoop.main` does.
enum MainQueueOwner {
    /// Whether something is queued.
    static var isCalled: Bool {
        var request = pollfd(fd: reactive_main_queue_handle(), events: Int16(POLLIN), revents: 0)
        return poll(&request, 1, 0) == 1
    }

    /// Runs what is queued, or waits some milliseconds for it.
    static func serve() {
        let handle = reactive_main_queue_handle()
        var request = pollfd(fd: handle, events: Int16(POLLIN), revents: 0)
        guard poll(&request, 1, 10) == 1 else { return }
        reactive_eventfd_clear(handle)
        reactive_main_queue_drain()
    }
}
