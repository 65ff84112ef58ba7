// SPDX-License-Identifier: MIT
import ReactiveCore

/// A type-erased poller, so that the engine is compiled once for all back ends. The base class itself stands in for the
/// poller of a disposed loop, and must not be called.
class AnyPoller {
    var nativeHandle: UnsafeMutableRawPointer? { nil }
    var pollDescriptor: Int32? { nil }

    func register(_ descriptor: Int32, _ interest: Readiness, token: UInt64) throws(LoopError) {
        isMissing()
    }

    func modify(_ descriptor: Int32, _ interest: Readiness, token: UInt64) throws(LoopError) {
        isMissing()
    }

    func deregister(_ descriptor: Int32) {
        isMissing()
    }

    func wait(until deadline: PollDeadline, _ ready: (UInt64, Readiness) -> Void) throws(LoopError) {
        isMissing()
    }

    private func isMissing() -> Never {
        fatalError("the loop has no poller: it has been disposed, or could not be created")
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
