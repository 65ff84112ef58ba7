// SPDX-License-Identifier: MIT
import ReactiveCore

/// An object behind a descriptor, such as an event or a socket. Only the holder of the network's lock uses it.
class KernelObject {
    /// The index of the host in ``Kernel/hosts``.
    final let host: Int
    /// The number of the descriptor, or -1 if there is none: before `accept`, and after `close`. It is the first one if
    /// there are several.
    final var descriptor: Int32 = -1
    /// The number of descriptors.
    final var references = 0
    /// The registrations of the object in poll sets.
    final private var memberships: [PollRegistration] = []

    init(host: Int) { self.host = host }

    /// What a poll set reports about the object now. A hang-up or an error counts as ready for everything.
    var readiness: Readiness { [] }
    /// Whether a poll set accepts the object.
    var isPollable: Bool { true }
    /// The object as text, for lists of open descriptors.
    var summary: String { "object" }

    /// Releases what the object holds in the kernel, because its last descriptor has been closed.
    func close(_ kernel: inout Kernel) {}
    /// Releases the object of a host that crashes.
    func vanish(_ kernel: inout Kernel) { close(&kernel) }

    /// Marks the object as possibly ready in every set. Call it after each change that can make it ready.
    @inline(__always)
    final func notify() {
        if memberships.isEmpty { return }
        let readiness = readiness
        for registration in memberships where !registration.interest.isDisjoint(with: readiness) {
            registration.markReady()
        }
    }

    final func add(_ registration: PollRegistration) { memberships.append(registration) }

    final func remove(_ registration: PollRegistration) { memberships.removeAll { $0 === registration } }

    /// Removes the object from every set, because its descriptor is being closed.
    final func leaveSets() {
        for registration in memberships { registration.set.forget(registration) }
        memberships.removeAll()
        descriptor = -1
    }
}

/// An event descriptor: a counter that is zero or not (eventfd(2)).
final class EventObject: KernelObject {
    /// The number of signals since it was last cleared.
    var signalCount: UInt64 = 0

    override var readiness: Readiness { signalCount > 0 ? [.read, .write] : .write }
    override var summary: String { "event" }
}

/// A timer descriptor (timerfd_create(2)).
final class TimerObject: KernelObject {
    /// The pending expiration.
    var event: Timeline.Entry?
    var hasExpired = false

    override var readiness: Readiness { hasExpired ? .read : [] }
    override var summary: String { "timer" }

    override func close(_ kernel: inout Kernel) { kernel.set(self, at: nil) }
}

/// A regular file without contents, which no poll set accepts.
final class FileObject: KernelObject {
    override var isPollable: Bool { false }
    override var summary: String { "file" }
}
