// SPDX-License-Identifier: MIT
package import Dispatch
package import ReactiveCore
import ReactiveSupport
import SchedulerEngine

/// A dispatch queue as a host that a test drives. A turn is a block that runs on the queue on request. Loops with
/// their own queue use a dispatch source instead.
package final class QueueHost: DrivenHost, LoopHost {
    private struct Guest {
        let descriptor: Int32
        let turn: @Sendable () -> Void
    }

    private let queue: DispatchQueue
    private let guest = Lock<Guest?>(nil)

    package init(_ queue: DispatchQueue) { self.queue = queue }

    package func attach(_ descriptor: Int32, turn: @escaping @Sendable () -> Void) throws(LoopError) {
        guest.withLock { guest in guest = Guest(descriptor: descriptor, turn: turn) }
    }

    package func detach() { _ = guest.withLock { guest in guest.take() } }

    package func runOnce(waiting: Bool) {
        guard let guest = guest.withLock({ guest in guest }) else { return }
        // `sync` runs the block on this thread, which makes it the host's thread.
        if isReadable(guest.descriptor, waiting: waiting) { queue.sync(execute: guest.turn) }
    }

    package func runToEnd() { while guest.withLock({ guest in guest != nil }) { runOnce(waiting: true) } }

    package func close() {}
}
