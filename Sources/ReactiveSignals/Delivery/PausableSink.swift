// SPDX-License-Identifier: MIT
public import ReactiveCore

/// A sink, and the events that wait for it while its subscription is paused.
///
/// Values pass while the subscription accepts them. During a pause they wait, as `policy` specifies, and a termination
/// waits behind them (law 11). A failure overtakes them while only operators pause (law 9). A disposal or a termination
/// releases the sink and all events.
///
/// The owner of this value serializes events and calls: it calls from one thread at a time, never from inside another
/// call, and holds no lock. It calls ``flush(keeping:)`` when a pause ends, when only operators still pause, and when
/// the subscription ends.
@usableFromInline
struct PausableSink<Value: Sendable, Failure: Error>: ~Copyable {
    @usableFromInline
    enum State {
        /// No event waits. Values pass while the subscription accepts them.
        case passing
        /// Events wait, and later ones queue behind them. Retains the owner until they are delivered, because a
        /// terminated source has released it.
        case holding(owner: AnyObject)
        /// The termination has been delivered, or the subscription is disposed. Later events are dropped.
        case closed
    }

    @usableFromInline
    let subscription: SignalSubscription
    @usableFromInline
    let policy: BufferPolicy
    @usableFromInline
    var link: SinkLink<Value, Failure>
    @usableFromInline
    var backlog = Backlog<Value, Failure>()
    @usableFromInline
    var state = State.passing

    @inlinable
    init(_ sink: Sink<Value, Failure>, _ subscription: SignalSubscription, _ policy: BufferPolicy) {
        link = SinkLink(sink)
        self.subscription = subscription
        self.policy = policy
    }

    @inlinable
    var isPassing: Bool { if case .passing = state { true } else { false } }

    @inlinable
    var isHolding: Bool { if case .holding = state { true } else { false } }

    /// Whether a termination has been received, delivered or not.
    @inlinable
    var hasEnded: Bool { backlog.end != .none }

    /// Delivers a value, or keeps it in order.
    @inlinable
    @inline(__always)
    mutating func receive(_ value: Value, keeping owner: AnyObject) {
        if subscription.acceptsValues, isPassing {
            link.receive(value)
        } else {
            enqueue(value, owner)
        }
    }

    /// Delivers the termination, or keeps it behind the values that wait. Events that follow it are dropped.
    @inlinable
    mutating func receive(termination: Termination<Failure>, keeping owner: AnyObject) {
        backlog.append(termination: termination)
        flush(keeping: owner)
    }

    @inlinable
    mutating func receive(_ event: Event<Value, Failure>, keeping owner: AnyObject) {
        switch event {
        case .value(let value): receive(value, keeping: owner)
        case .ended(let termination): receive(termination: termination, keeping: owner)
        }
    }

    @inlinable
    @inline(never)
    mutating func enqueue(_ value: Value, _ owner: AnyObject) {
        backlog.append(value)
        if isHolding, subscription.isPaused, !subscription.isDisposed, backlog.count <= policy.limit {
            // Nothing can be delivered, and nothing has to be dropped.
            return
        }
        flush(keeping: owner)
    }

    /// Delivers the waiting events, as far as the subscription permits.
    @inlinable
    @inline(never)
    mutating func flush(keeping owner: AnyObject) {
        while !subscription.isDisposed, let event = next() {
            switch event {
            case .value(let value): link.receive(value)
            case .ended(let termination): link.take()?.receive(termination: termination)
            }
        }
        settle(owner)
    }

    /// The next event that may be delivered now.
    @inlinable
    mutating func next() -> Event<Value, Failure>? {
        let isPaused = subscription.isPaused
        if isPaused { _ = backlog.trim(policy) }
        if let event = backlog.next(isPaused: isPaused) { return event }
        guard backlog.holdsFailure, subscription.letsFailuresPass else { return nil }
        return backlog.takeFailure().failure
    }

    @inlinable
    mutating func settle(_ owner: AnyObject) {
        if subscription.isDisposed || hasEnded && backlog.isEmpty {
            _ = link.take()
            _ = backlog.takeAll()
            state = .closed
        } else if backlog.isEmpty {
            state = .passing
        } else if !isHolding {
            state = .holding(owner: owner)
        }
    }
}
