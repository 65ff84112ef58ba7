import CReactive
import ReactiveCore
import ReactiveSupport
import Synchronization

/// The dispatch main queue, served by a loop that owns the main thread (rules M1–M5).
///
/// libdispatch gives CoreFoundation two entry points for this, found by name at run time: a descriptor that is readable
/// when the main queue has work, and a call that runs what is queued at that moment.
enum MainQueue {
    /// Unknown until it is first asked for.
    private static let unknown: Int32 = -2
    private static let handle = Atomic<Int32>(unknown)
    /// The process that opened it.
    private static let generation = Atomic<UInt32>(0)

    /// Nil where this libdispatch has no such entry points, and in a forked child of the process that opened it, whose work it
    /// tells of; then a loop serves its own work only.
    ///
    /// - Throws: `systemCall` where the system has no descriptor left for it, and libdispatch would end the process.
    static func descriptor() throws(LoopError) -> Int32? {
        var known = handle.load(ordering: .acquiring)
        if known == unknown {
            if reactive_has_main_queue() { try SpareDescriptors.check("the main queue's descriptor") }
            known = reactive_main_queue_handle()
            generation.store(ThreadIdentity.forkGeneration, ordering: .relaxed)
            handle.store(known, ordering: .releasing)
        }
        let isOurs = generation.load(ordering: .relaxed) == ThreadIdentity.forkGeneration
        return known >= 0 && isOurs ? known : nil
    }

    /// On the main thread, when `descriptor` is readable. Its eight bytes are read first: without that it stays readable,
    /// and the loop spins at 100 % of a CPU.
    static func drain() {
        let descriptor = handle.load(ordering: .acquiring)
        guard descriptor >= 0 else { return }
        reactive_eventfd_clear(descriptor)
        reactive_main_queue_drain()
    }
}
