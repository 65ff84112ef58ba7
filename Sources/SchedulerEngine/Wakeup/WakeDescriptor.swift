// SPDX-License-Identifier: MIT
import CReactive
import Glibc
import ReactiveCore

/// The descriptor that ends a loop's wait: an eventfd that is registered with the poller.
final class WakeDescriptor: Sendable {
    let descriptor: Int32

    init() throws(LoopError) {
        descriptor = reactive_eventfd()
        if descriptor < 0 { throw LoopError.system("eventfd", errno) }
    }

    /// A value without a descriptor, for a loop that never waits.
    static var none: WakeDescriptor { WakeDescriptor(descriptor: -1) }

    private init(descriptor: Int32) { self.descriptor = descriptor }

    /// Makes the descriptor readable. Any thread may call it. The owner must prevent calls after `close`.
    func signal() { reactive_eventfd_signal(descriptor) }

    /// Makes the descriptor unreadable again.
    func clear() { reactive_eventfd_clear(descriptor) }

    /// Closes the descriptor. Only the owner calls this, once.
    func close() { Glibc.close(descriptor) }
}
