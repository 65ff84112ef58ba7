// SPDX-License-Identifier: MIT
import CReactive
import ReactiveCore
import ReactiveSupport
import Synchronization

/// The main queue of libdispatch, which a loop of the main thread serves (rules M1–M5).
///
/// libdispatch has two functions for this, which are meant for CoreFoundation. They are looked up by name at run time.
/// One returns a descriptor that is readable when the main queue has work. The other runs the work that is queued at
/// that moment.
enum MainQueue {
    /// The value of `handle` before the first use.
    private static let unknown: Int32 = -2
    private static let handle = Atomic<Int32>(unknown)
    /// The fork generation of the process that opened the descriptor.
    private static let generation = Atomic<UInt32>(0)

    /// The descriptor that is readable when the main queue has work.
    ///
    /// It is `nil` if this libdispatch lacks these functions. It is also `nil` in a forked child of the process that
    /// opened the descriptor, because the descriptor reports the parent's work. A loop then serves only its own work.
    ///
    /// - Throws: `systemCall` if too few descriptors are left. Without this check libdispatch would end the process.
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

    /// Runs the work that is queued on the main queue. Call it on the main thread, when `descriptor` is readable. The
    /// method reads the descriptor's counter first. Otherwise the descriptor would stay readable and the loop would
    /// spin.
    static func drain() {
        let descriptor = handle.load(ordering: .acquiring)
        guard descriptor >= 0 else { return }
        reactive_eventfd_clear(descriptor)
        reactive_main_queue_drain()
    }
}
