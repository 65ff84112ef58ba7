public import ReactiveCore
public import ReactiveSupport

/// Puts the events that several threads, or nested calls, send to one sink into one order.
///
/// A sender that finds the serializer free delivers at once and directly. Any other leaves its event in the queue, and the thread that is
/// delivering takes it from there (laws 2 and 4): no recursion, no waiting, no lock while a sink is called. Events wait in the
/// ``PausableSink`` while the subscription is paused (law 11), and only there `policy` applies. Any thread may send. The sink
/// belongs to the holder of the claim, which is why it may travel as `UnsafeTransfer`.
@usableFromInline
final class EventSerializer<Value: Sendable, Failure: Error> {
    @usableFromInline
    let claim = DrainClaim()
    /// Events that came while another call was delivering.
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
        // Weak: the source keeps the serializer, and the serializer the subscription.
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

    /// Delivers what waits, or leaves it to the call that is delivering.
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
