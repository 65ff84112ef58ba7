// SPDX-License-Identifier: MIT
public import ReactiveCore
public import ReactiveSupport

/// Puts the events of several threads, or of nested calls, into one order for one sink.
///
/// If no delivery is under way, a sender delivers directly. Otherwise it queues its event, and the thread that is
/// delivering delivers it (laws 2 and 4). No call recurses or waits, and no lock is held while a sink is called. While
/// the subscription is paused, events wait in the ``PausableSink`` (law 11), and `policy` limits only these. Any thread
/// may send. Only the holder of the claim accesses the sink, so an `UnsafeTransfer` may carry the serializer to another
/// thread.
@usableFromInline
final class EventSerializer<Value: Sendable, Failure: Error> {
    @usableFromInline
    let claim = DrainClaim()
    /// Events that were sent during another call's delivery.
    @usableFromInline
    let queue = Lock(FIFO<Event<Value, Failure>>())
    @usableFromInline
    let subscription: SignalSubscription

    @safe @exclusivity(unchecked)
    @usableFromInline
    var sink: PausableSink<Value, Failure>

    @inlinable
    init(_ sink: Sink<Value, Failure>, _ subscription: SignalSubscription, _ policy: BufferPolicy = .unbounded) {
        self.sink = PausableSink(sink, subscription, policy)
        self.subscription = subscription
        // Weak: the source retains the serializer, and the serializer retains the subscription.
        let serializer = UnsafeTransfer(WeakHandle(self))
        subscription.onChange { change in if change != .paused { serializer.value.object?.wake() } }
    }

    @inlinable
    func send(_ value: Value) {
        guard claim.take() else { return submit(.value(value)) }
        sink.receive(value, keeping: self)
        var seen = 1
        if !claim.release(&seen) { drain(seen) }
    }

    @inlinable
    func send(termination: Termination<Failure>) { submit(.ended(termination)) }

    /// Queues an event, and delivers it unless another call is delivering.
    @inlinable
    @inline(never)
    func submit(_ event: Event<Value, Failure>) {
        queue.withLock { $0.append(event) }
        wake()
    }

    /// Delivers the waiting events. If another call is already delivering, that call delivers them.
    @inlinable
    func wake() {
        if claim.announce() { drain() }
    }

    @inlinable
    @inline(never)
    func drain(_ announced: Int = 1) {
        claim.drain(announced) {
            sink.flush(keeping: self)
            while let event = queue.withLock({ $0.popFirst() }) { sink.receive(event, keeping: self) }
        }
    }
}
