import CReactive
import Glibc
import ReactiveCore

/// The descriptor that ends a loop's wait: an eventfd, registered with the poller like any other.
final class WakeDescriptor: Sendable {
    let descriptor: Int32

    init() throws(LoopError) {
        descriptor = reactive_eventfd()
        if descriptor < 0 { throw LoopError.system("eventfd", errno) }
    }

    /// None: of a loop that has nothing to wait with, and that nobody signals.
    static var none: WakeDescriptor { WakeDescriptor(descriptor: -1) }

    private init(descriptor: Int32) { self.descriptor = descriptor }

    /// Makes it readable. Any thread; the owner sees to it that nobody signals after `close`.
    func signal() { reactive_eventfd_signal(descriptor) }

    /// Makes it unreadable again.
    func clear() { reactive_eventfd_clear(descriptor) }

    /// Once, by the owner.
    func close() { Glibc.close(descriptor) }
}
