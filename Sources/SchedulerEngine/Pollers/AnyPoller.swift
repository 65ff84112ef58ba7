// SPDX-License-Identifier: MIT
import ReactiveCore

/// A type-erased poller, so that the engine is compiled once for all back ends. The base class forwards each call to
/// another poller. Without one it stands in for the poller of a disposed loop, and must not be called.
class AnyPoller {
    let inner: AnyPoller?

    init(forwardingTo inner: AnyPoller? = nil) { self.inner = inner }

    var nativeHandle: UnsafeMutableRawPointer? { unsafe inner?.nativeHandle }
    var pollDescriptor: Int32? { inner?.pollDescriptor }

    func register(_ descriptor: Int32, _ interest: Readiness, token: UInt64) throws(LoopError) {
        try existing.register(descriptor, interest, token: token)
    }

    func modify(_ descriptor: Int32, _ interest: Readiness, token: UInt64) throws(LoopError) {
        try existing.modify(descriptor, interest, token: token)
    }

    func deregister(_ descriptor: Int32) {
        existing.deregister(descriptor)
    }

    func wait(until deadline: PollDeadline, _ ready: (UInt64, Readiness) -> Void) throws(LoopError) {
        try existing.wait(until: deadline, ready)
    }

    private var existing: AnyPoller {
        guard let inner else { fatalError("the loop has no poller: it has been disposed, or could not be created") }
        return inner
    }
}

/// The poller of a loop. The other subclass, `MeasuringPoller`, contains an object of this class.
final class BoxedPoller<Back: Poller & ~Copyable>: AnyPoller {
    private var back: Back

    init(_ kind: Back.Type) throws(LoopError) {
        back = try Back()
        super.init()
    }

    override var nativeHandle: UnsafeMutableRawPointer? { unsafe back.nativeHandle }

    override var pollDescriptor: Int32? { back.pollDescriptor }

    override func register(_ descriptor: Int32, _ interest: Readiness, token: UInt64) throws(LoopError) {
        try back.register(descriptor, interest, token: token)
    }

    override func modify(_ descriptor: Int32, _ interest: Readiness, token: UInt64) throws(LoopError) {
        try back.modify(descriptor, interest, token: token)
    }

    override func deregister(_ descriptor: Int32) {
        back.deregister(descriptor)
    }

    override func wait(until deadline: PollDeadline, _ ready: (UInt64, Readiness) -> Void) throws(LoopError) {
        try back.wait(until: deadline, ready)
    }
}
