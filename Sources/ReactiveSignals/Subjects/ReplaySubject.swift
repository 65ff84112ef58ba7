public import ReactiveCore

/// A hot signal that is sent to by hand, and sends its last values, and its end, to whoever comes later.
///
/// As a ``Subject`` in everything else: any thread may send, all observers see one order (laws 2 and 4), a paused observer has
/// its values kept for it. Every observer gets the values remembered when it subscribes, then what is sent; none is missed
/// or sent twice, and no lock is held meanwhile (law 3). Letting go of it does not end it.
public final class ReplaySubject<Value: Sendable, Failure: Error>: Observer, SignalSource, Sendable {
    @usableFromInline
    let core: ReplayCore<Value, Failure>

    /// Makes a subject that remembers the last `limit` values; zero and less: none. `.max` remembers all there ever were.
    ///
    /// `policy` is for the values that a paused observer cannot take yet, also those that are sent anew.
    @inlinable
    public init(limit: Int, whilePaused policy: BufferPolicy = .unbounded) {
        core = ReplayCore(limit, policy)
    }

    /// The values remembered, and what is sent, as a signal; the subject's state lives as long as the signal does.
    @inlinable
    public var signal: Signal<Value, Failure> {
        Signal(start: { [core] sink, subscription in core.subscribe(sink, subscription) })
    }

    /// Sends a value to everyone who is subscribed, and remembers it; after the end it does nothing.
    @inlinable
    public func send(_ value: Value) { core.send(value) }

    /// Sends the end, and lets go of the observers (law 6); the values stay. The second and every later one does nothing.
    @inlinable
    public func send(termination: Termination<Failure>) { core.send(termination: termination) }

    /// Ends the signal by completing it.
    @inlinable
    public func complete() { send(termination: .completed) }

    /// Ends the signal by breaking it off.
    @inlinable
    public func fail(_ failure: Failure) { send(termination: .failed(failure)) }

    /// Sends the value, so that this can be handed to `subscribe(_:in:)` of another signal.
    @inlinable
    public func receive(_ value: Value) { send(value) }

    /// Sends the end, so that this can be handed to `subscribe(_:in:)` of another signal.
    @inlinable
    public func receive(termination: Termination<Failure>) { send(termination: termination) }

    /// Starts sending to `observer`, until the end or until `subscription` is disposed.
    @inlinable
    public func subscribe<O: Observer>(_ observer: O, in subscription: some Subscription)
    where O.Value == Value, O.Failure == Failure {
        signal.subscribe(observer, in: subscription)
    }
}
