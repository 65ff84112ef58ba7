// SPDX-License-Identifier: MIT
public import ReactiveCore
public import ReactiveSupport

/// The handle through which a source sends events to one subscription.
///
/// Any thread may send, even from inside a delivery. The emitter puts all events in one order. During a delivery, the
/// delivering thread also delivers the new events ([law 4](doc:LawsOfSignals)). After the termination, and after the
/// subscription is disposed, sending does nothing.
///
/// While the subscription is paused, the signal's ``BufferPolicy`` decides which values are buffered, and the
/// termination waits behind them. Releasing all copies of the emitter does not terminate the signal.
public struct Emitter<Value: Sendable, Failure: Error>: Observer, Sendable {
    @usableFromInline
    let junction: UnsafeTransfer<Junction<Value, Failure>>

    @inlinable
    init(_ junction: Junction<Value, Failure>) {
        self.junction = UnsafeTransfer(junction)
    }

    /// Sends a value. It is delivered before this call returns, unless the subscription is paused or another delivery
    /// is under way.
    @inlinable
    public func send(_ value: Value) { junction.value.receive(value) }

    /// Terminates the signal, and disposes the source's subscription immediately ([law 6](doc:LawsOfSignals)), even if
    /// a pause delays the termination. Later calls do nothing.
    @inlinable
    public func send(termination: Termination<Failure>) {
        let subscription = junction.value.subscription
        subscription.terminationBegins()
        junction.value.receive(termination: termination)
        subscription.terminationEnds()
    }

    /// Completes the signal. Does nothing after a termination.
    @inlinable
    public func complete() { send(termination: .completed) }

    /// Fails the signal with `failure`. Does nothing after a termination.
    @inlinable
    public func fail(_ failure: Failure) { send(termination: .failed(failure)) }

    /// Sends the value, so the emitter can be the observer of another signal.
    @inlinable
    public func receive(_ value: Value) { send(value) }

    /// Sends the termination, so the emitter can be the observer of another signal.
    @inlinable
    public func receive(termination: Termination<Failure>) { send(termination: termination) }
}
