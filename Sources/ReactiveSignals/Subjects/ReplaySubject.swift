// SPDX-License-Identifier: MIT
public import ReactiveCore

/// A hot signal that the program sends to. Later subscribers receive its last values, and its termination.
///
/// Any thread may send, even from inside a delivery. Every observer receives the values in the same order
/// ([law 4](doc:LawsOfSignals)). A new observer receives the stored values, then those sent later. None is missed or
/// sent twice.
///
/// Values are buffered for a paused observer, without delaying other observers. Releasing the subject does not
/// terminate its signal.
public final class ReplaySubject<Value: Sendable, Failure: Error>: Observer, SignalSource, Sendable {
    @usableFromInline
    let core: ReplayCore<Value, Failure>

    /// Creates a subject that stores the last values.
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
    ///
    /// The value is delivered before this call returns. During another delivery, the delivering thread delivers it
    /// instead.
    @inlinable
    public func send(_ value: Value) { core.send(value) }

    /// Terminates the signal and releases the observers. The stored values stay for later subscribers. Later calls do
    /// nothing.
    @inlinable
    public func send(termination: Termination<Failure>) { core.send(termination: termination) }

    /// Completes the signal. Does nothing after a termination.
    @inlinable
    public func complete() { send(termination: .completed) }

    /// Fails the signal with `failure`. Does nothing after a termination.
    @inlinable
    public func fail(_ failure: Failure) { send(termination: .failed(failure)) }

    /// Fails the signal. The first subscriber observes `unobserved`. Without one, `unobserved` is released with the
    /// subject and its signals, and reports the failure.
    package func fail(_ failure: Failure, unlessObserved unobserved: UnobservedFailure<Failure>) {
        core.send(failure, unlessObserved: unobserved)
    }

    /// Sends the value, so the subject can be the observer of another signal.
    @inlinable
    public func receive(_ value: Value) { send(value) }

    /// Sends the termination, so the subject can be the observer of another signal.
    @inlinable
    public func receive(termination: Termination<Failure>) { send(termination: termination) }

    /// Sends events to `observer` until the signal terminates or `subscription` is disposed.
    @inlinable
    public func subscribe<O: Observer>(_ observer: O, in subscription: some Subscription)
    where O.Value == Value, O.Failure == Failure {
        signal.subscribe(observer, in: subscription)
    }
}
