// SPDX-License-Identifier: MIT
public import ReactiveCore
public import ReactiveSupport
public import Synchronization

/// Sends to any number of sinks, all in one order. Subjects, properties and `share` are built on it.
///
/// If no delivery is under way, a sender delivers directly. Events from other threads and from inside a delivery are
/// queued, and the thread that is delivering delivers them (laws 2 and 4). Subscribing, leaving and resuming use the
/// same queue. So a new observer receives the values sent after it subscribed, and the list never changes during a
/// delivery. Each paused observer has a separate backlog, which retains the broadcast while values wait in it. Any
/// thread may call it. Only the holder of the claim accesses the variables, so an `UnsafeTransfer` may carry the
/// broadcast to another thread.
@usableFromInline
final class Broadcast<Value: Sendable, Failure: Error> {
    /// A step for the thread that is delivering.
    @usableFromInline
    enum DeliveryStep: Sendable {
        case event(Event<Value, Failure>)
        /// A new subscriber, and the values that it receives first.
        case add(UnsafeTransfer<BroadcastSubscriber<Value, Failure>>, [Value])
        case flush(Int)
        case remove(Int)
    }

    @usableFromInline
    let claim = DrainClaim()
    @usableFromInline
    let steps: Lock<DeliveryQueue<Value, Failure>>
    @usableFromInline
    let lastNumber = Atomic<Int>(0)
    /// The weak reference that the subscriptions store.
    @usableFromInline
    let handle = WeakHandle<Broadcast>()

    @safe @exclusivity(unchecked)
    @usableFromInline
    var subscribers = SubscriberList<Value, Failure>()
    @safe @exclusivity(unchecked)
    @usableFromInline
    var end: Termination<Failure>?
    /// The subscribers whose termination waits behind values.
    @safe @exclusivity(unchecked)
    @usableFromInline
    var leaving: [BroadcastSubscriber<Value, Failure>] = []

    /// Creates a broadcast without observers. `policy` is for values that are sent during another delivery.
    @inlinable
    init(whileDelivering policy: BufferPolicy = .unbounded) {
        steps = Lock(DeliveryQueue(policy))
        handle.object = self
    }

    @inlinable
    func send(_ value: Value) {
        guard claim.take() else { return submit(.event(.value(value))) }
        deliver(value)
        finish()
    }

    @inlinable
    func send(termination: Termination<Failure>) { submit(.event(.ended(termination))) }

    /// Adds a sink. It receives the events sent from now on, or the termination that has been sent.
    @inlinable
    func add(_ sink: Sink<Value, Failure>, _ subscription: SignalSubscription, _ policy: BufferPolicy) {
        let subscriber = prepare(sink, subscription, policy)
        submit(.add(UnsafeTransfer(subscriber), []))
        didAdd(subscriber, subscription)
    }

    /// Creates a subscriber that is flushed on a resume and removed when its subscription ends. The caller then submits
    /// an `add` step, and calls `didAdd`.
    @inlinable
    func prepare(
        _ sink: Sink<Value, Failure>,
        _ subscription: SignalSubscription,
        _ policy: BufferPolicy
    ) -> BroadcastSubscriber<Value, Failure> {
        let number = lastNumber.wrappingAdd(1, ordering: .relaxed).newValue
        // Weak: the subscription may outlive the source.
        let broadcast = UnsafeTransfer(handle)
        // Before the `add`, so that no resume is missed.
        subscription.onChange { change in
            switch change {
            case .paused: break
            case .resumed, .failuresMayPass: broadcast.value.object?.submit(.flush(number))
            case .over: broadcast.value.object?.submit(.remove(number))
            }
        }
        return BroadcastSubscriber(number, subscription.restoring(sink), subscription, policy)
    }

    /// Removes the subscriber if its subscription has ended. Call it after the `add`: if the subscription ended before
    /// that, its removal found no subscriber.
    @inlinable
    func didAdd(_ subscriber: BroadcastSubscriber<Value, Failure>, _ subscription: SignalSubscription) {
        if subscription.isDisposed { submit(.remove(subscriber.number)) }
    }

    /// Performs the step now, or queues it for the thread that is delivering.
    @inlinable
    func submit(_ step: DeliveryStep) {
        if claim.take() {
            perform(step)
            finish()
        } else {
            _ = queue(step)
            wake()
        }
    }

    /// Queues the step for the thread that is delivering. Returns the value that is dropped, if any. Release that
    /// value outside any lock.
    @inlinable
    @inline(never)
    func queue(_ step: DeliveryStep) -> Value? {
        steps.withLock { $0.append(step) }
    }

    @inlinable
    func wake() {
        if claim.announce() { drain() }
    }

    /// Releases the claim, after performing the steps that were queued.
    @inlinable
    func finish() {
        var seen = 1
        if !claim.release(&seen) { drain(seen) }
    }

    @inlinable
    @inline(never)
    func drain(_ announced: Int = 1) {
        claim.drain(announced) {
            while let step = steps.withLock({ $0.popFirst() }) { perform(step) }
        }
    }

    @inlinable
    @inline(__always)
    func deliver(_ value: Value) {
        subscribers.forEach { $0.sink.receive(value, keeping: self) }
    }

    @inlinable
    @inline(never)
    func perform(_ step: DeliveryStep) {
        switch step {
        case .event(.value(let value)): deliver(value)
        case .event(.ended(let termination)): finish(with: termination)
        case .add(let subscriber, let first): admit(subscriber.value, first)
        case .flush(let number):
            let subscriber = subscribers.first(number) ?? leaving.first { $0.number == number }
            subscriber?.sink.flush(keeping: self)
            leaving.removeAll { !$0.sink.isHolding }
        case .remove(let number):
            _ = subscribers.remove(number)
            leaving.removeAll { $0.number == number }
        }
    }

    @inlinable
    func admit(_ subscriber: BroadcastSubscriber<Value, Failure>, _ first: [Value]) {
        for value in first { subscriber.sink.receive(value, keeping: self) }
        if let end {
            finish(subscriber, with: end)
        } else {
            subscribers.append(subscriber)
        }
    }

    @inlinable
    func finish(with termination: Termination<Failure>) {
        guard end == nil else { return }
        end = termination
        for subscriber in subscribers.takeAll() { finish(subscriber, with: termination) }
    }

    @inlinable
    func finish(_ subscriber: BroadcastSubscriber<Value, Failure>, with termination: Termination<Failure>) {
        subscriber.sink.receive(termination: termination, keeping: self)
        if subscriber.sink.isHolding { leaving.append(subscriber) }
    }
}
