// SPDX-License-Identifier: MIT
public import ReactiveCore
package import ReactiveSupport

/// The subscriber of a signal whose values come from a loop: the messages of a WebSocket, the body of a message,
/// datagrams, accepted connections. There is at most one at a time.
///
/// It keeps no values. The owner produces them while the subscriber accepts them (``LoopSourceOwner/acceptsValues``).
/// Only the loop accesses it.
@usableFromInline
package struct LoopSource<Value: Sendable, Failure: Error> {
    /// It is kept small, because idle connections store it.
    @usableFromInline
    enum State {
        case idle
        case subscribed(Sink<Value, Failure>, SignalSubscription)
        indirect case ended(Termination<Failure>)
    }

    /// Whether a value is being delivered. The subscriber may end its own source in that call. The termination then
    /// waits until the call has returned (law 2).
    @usableFromInline
    enum Delivery {
        case none
        case underWay
        indirect case underWayBefore(Termination<Failure>)
    }

    @usableFromInline
    var state = State.idle
    @usableFromInline
    var delivery = Delivery.none

    @inlinable
    package init() {}

    /// Whether there is no subscriber, and the source has not ended.
    @inlinable
    package var isIdle: Bool { if case .idle = state { true } else { false } }

    /// Whether there is a subscriber, even a paused one.
    @inlinable
    package var hasSubscriber: Bool { if case .subscribed = state { true } else { false } }

    /// Whether a subscriber accepts values now.
    @inlinable
    package var acceptsValues: Bool {
        if case .subscribed(_, let subscription) = state { subscription.acceptsValues } else { false }
    }

    /// Records that a delivery has returned. Returns the termination that has waited for it.
    @inlinable
    mutating func endDelivery() -> Termination<Failure>? {
        let last = delivery
        delivery = .none
        if case .underWayBefore(let termination) = last { return termination }
        return nil
    }

    /// Returns whether the termination waits for a delivery. Then ``endDelivery()`` returns it.
    mutating func defers(_ termination: Termination<Failure>) -> Bool {
        // After a deferred termination, the delivery is no longer one to the current subscriber.
        guard case .underWay = delivery else { return false }
        delivery = .underWayBefore(termination)
        return true
    }

    /// Removes the subscriber, and returns its parts. The caller releases them last, because a release may run user code
    /// (law 3).
    package mutating func takeSubscriber() -> (sink: Sink<Value, Failure>, subscription: SignalSubscription)? {
        guard case .subscribed(let sink, let subscription) = state else { return nil }
        state = .idle
        // A later subscriber does not wait for a delivery to this one.
        delivery = .none
        return (sink, subscription)
    }
}

/// An object of a loop that produces the values of a ``LoopSource``. Every member except ``signal(of:)`` is called on the
/// loop.
@usableFromInline
package protocol LoopSourceOwner: AnyObject, SendableMetatype {
    associatedtype SourceValue: Sendable
    associatedtype SourceFailure: Error

    var loop: any LoopScheduler { get }
    /// Its methods call no other code, so accesses cannot overlap.
    var loopSource: LoopSource<SourceValue, SourceFailure> { get set }

    /// The failure of a second subscriber.
    var alreadyReceiving: SourceFailure { get }

    /// Called when there is a new subscriber, and when it pauses or resumes.
    func demandChanged()

    /// Called when the subscription has ended, except by a termination.
    func subscriberLeft()
}

extension LoopSourceOwner {
    package func subscriberLeft() { demandChanged() }

    /// Whether a subscriber accepts values now.
    @inlinable
    package var acceptsValues: Bool { loopSource.acceptsValues }

    /// Delivers a value. The caller has checked ``acceptsValues``.
    @inlinable
    package func deliver(_ value: SourceValue) {
        guard case .subscribed(let sink, let subscription) = loopSource.state, !subscription.isDisposed else { return }
        loopSource.delivery = .underWay
        sink.receive(value)
        if let termination = loopSource.endDelivery(), !subscription.isDisposed {
            sink.receive(termination: termination)
        }
    }

    /// Terminates the signal, after the delivery that is under way. Later subscribers receive `later`, or the same.
    package func terminate(
        _ termination: Termination<SourceFailure>,
        later: Termination<SourceFailure>? = nil
    ) {
        let last = loopSource.state
        if case .ended = last { return }
        loopSource.state = .ended(later ?? termination)
        send(termination, to: last)
    }

    /// Fails the subscriber, after the delivery that is under way. The next one may begin.
    package func failSubscriber(_ error: SourceFailure) {
        let last = loopSource.state
        guard case .subscribed = last else { return }
        loopSource.state = .idle
        send(.failed(error), to: last)
    }

    private func send(
        _ termination: Termination<SourceFailure>,
        to last: LoopSource<SourceValue, SourceFailure>.State
    ) {
        guard case .subscribed(let sink, let subscription) = last, !subscription.isDisposed else { return }
        if !loopSource.defers(termination) { sink.receive(termination: termination) }
    }

    /// Disposes the subscription without a termination, because the loop has been disposed.
    package func abandonSubscriber() { loopSource.takeSubscriber()?.subscription.dispose() }

    // MARK: Subscribing

    /// The signal of the source. Any thread may subscribe.
    ///
    /// It fails with ``alreadyReceiving`` if there is a subscriber, and with the refusal of a loop that is disposed.
    package static func signal(of owner: UnsafeTransfer<Self>) -> Signal<SourceValue, SourceFailure>
    where SourceFailure: LoopRefusal {
        .starting { sink, subscription in
            if subscription.isDisposed { return }
            let sink = subscription.restoring(sink)
            let loop = owner.value.loop
            if let error = loop.refusal(as: SourceFailure.self) { return sink.receive(termination: .failed(error)) }
            // The reference is weak, to avoid a cycle: the owner retains the subscription.
            let own = UnsafeTransfer(Weak(owner.value))
            subscription.onChange { change in
                switch change {
                case .paused, .resumed: loop.runOrExecute { own.value.object?.demandChanged() }
                case .over: loop.runOrExecute { own.value.object?.dropEndedSubscriber() }
                case .failuresMayPass: break
                }
            }
            let subscriber = UnsafeTransfer((sink: sink, subscription: subscription))
            loop.runOrExecute { owner.value.begin(subscriber.value.sink, subscriber.value.subscription) }
        }
    }

    private func begin(_ sink: Sink<SourceValue, SourceFailure>, _ subscription: SignalSubscription) {
        if subscription.isDisposed { return }
        if case .subscribed(_, let last) = loopSource.state, last.isEnding { drop() }
        switch loopSource.state {
        case .idle:
            loopSource.state = .subscribed(sink, subscription)
            demandChanged()
        case .subscribed: sink.receive(termination: .failed(alreadyReceiving))
        case .ended(let termination): sink.receive(termination: termination)
        }
    }

    private func dropEndedSubscriber() {
        if case .subscribed(_, let subscription) = loopSource.state, subscription.isDisposed { drop() }
    }

    private func drop() {
        let last = loopSource.takeSubscriber()
        subscriberLeft()
        withExtendedLifetime(last) {}
    }
}
