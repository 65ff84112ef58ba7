// SPDX-License-Identifier: MIT
import CReactive
import Glibc
import ReactiveCore

/// The descriptor that ends a loop's wait: an eventfd that is registered with the poller.
final class WakeDescriptor: Sendable {
    let descriptor: Int32
    /// The simulated kernel that opened the descriptor. nil for the real one.
    private let system: (any EventSystem)?

    init(_ system: (any EventSystem)? = nil) throws(LoopError) {
        self.system = system
        if let system {
            descriptor = system.openEvent()
            if descriptor < 0 { throw LoopError.system("eventfd", -descriptor) }
        } else {
            descriptor = reactive_eventfd()
            if descriptor < 0 { throw LoopError.system("eventfd", errno) }
        }
    }

    /// A value without a descriptor, for a loop that never waits.
    static var none: WakeDescriptor { WakeDescriptor(descriptor: -1) }

    private init(descriptor: Int32) {
        self.descriptor = descriptor
        system = nil
    }

    /// Makes the descriptor readable. Any thread may call it. The owner must prevent calls after `close`.
    func signal() {
        if let system { return system.signalEvent(descriptor) }
        reactive_eventfd_signal(descriptor)
    }

    /// Makes the descriptor unreadable again.
    func clear() {
        if let system { return system.clearEvent(descriptor) }
        reactive_eventfd_clear(descriptor)
    }

    /// Closes the descriptor. Only the owner calls this, once.
    func close() {
        if let system { return system.closeEvent(descriptor) }
        _ = Glibc.close(descriptor)
    }

    /// Makes each arrival of a process signal signal the descriptor. Returns 0 or an error number.
    func listen(to signal: Int32) -> Int32 {
        system?.addListener(descriptor, to: signal) ?? reactive_signal_add(signal, descriptor)
    }

    func stopListening(to signal: Int32) {
        if let system { return system.removeListener(descriptor, of: signal) }
        reactive_signal_remove(signal, descriptor)
    }
}
