public import ReactiveCore

/// A hot signal that the program sends to. Later subscribers get its last values, and its termination.
///
/// Otherwise it is like a ``Subject``: any thread may send, all observers see one order (laws 2 and 4), and values are buffered
/// for a paused observer. Every observer gets the values stored when it subscribes, then those sent later. None is missed or
/// sent twice, and no lock is held during a delivery (law 3). Releasing the subject does not terminate its signal.
public final class ReplaySubject<Value: Sendable, Failure: Error>: Observer, SignalSource, Sendable {
    @usableFromInline
    let core: ReplayCore<Value, Failure>

    /// Makes a subject that stores the last values.
    ///
    /// - Parameters:
    ///   - limit: How many values to store. Zero or less stores none, `.max` all.
    ///   - policy: How to buffer values for a paused observer, stored ones included.
    @inlinable
    public init(limit: Int, whilePaused policy: BufferPolicy = .unbounded) {
        core = ReplayCore(limit, policy)
    }

    /// The stored values, then those sent later. The signal retains the subject's state.
    @inlinable
    public var signal: Signal<Value, Failure> {
        Signal(start: { [core] sink, subscription in core.subscribe(sink, subscription) })
    }

    /// Sends a value to all observers and stores it. Does nothing after the termination.
    @inlinable
    public func send(_ value: Value) { core.send(value) }

    /// Terminates the signal and releases the observers (law 6). The stored values stay. Later calls do nothing.
    @inlinable
    public func send(termination: Termination<Failure>) { core.send(termination: termination) }

    /// Completes the signal.
    @inlinable
    public func complete() { send(termination: .completed) }

    /// Fails the signal with `failure`.
    @inlinable
    public func fail(_ failure: Failure) { send(termination: .failed(failure)) }

    /// Sends the value. The subject may thus be the observer of another signal.
    @inlinable
    public func receive(_ value: Value) { send(value) }

    /// Sends the termination. The subject may thus be the observer of another signal.
    @inlinable
    public func receive(termination: Termination<Failure>) { send(termination: termination) }

    /// Sends events to `observer` until the signal terminates or `subscription` is disposed.
    @inlinable
    public func subscribe<O: Observer>(_ observer: O, in subscription: some Subscription)
    where O.Value == Value, O.Failure == Failure {
        signal.subscribe(observer, in: subscription)
    }
}
