import CReactive
import ReactiveSupport

/// The dispatch main queue, served by a loop that owns the main thread (rules M1–M5).
///
/// libdispatch gives CoreFoundation two entry points for this, found by name at run time: a descriptor that is readable
/// when the main queue has work, and a call that runs what is queued at that moment.
enum MainQueue {
    /// Nil where this libdispatch has no such entry points; then a loop serves its own work only.
    static let descriptor: Int32? = {
        let handle = reactive_main_queue_handle()
        return handle >= 0 ? handle : nil
    }()

    /// On the main thread, when `descriptor` is readable. Its eight bytes are read first: without that it stays readable,
    /// and the loop spins at 100 % of a CPU.
    static func drain() {
        guard let descriptor else { return }
        reactive_eventfd_clear(descriptor)
        reactive_main_queue_drain()
    }
}
