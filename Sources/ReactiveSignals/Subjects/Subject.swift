// SPDX-License-Identifier: MIT
public import ReactiveCore
public import ReactiveSupport
import Synchronization

/// A hot signal that the program sends to. Each value is sent to the observers that are subscribed at that time.
///
/// Any thread may send, even from inside a delivery. All observers receive the values in the same order. The delivering
/// thread also delivers values that are sent during the delivery ([law 4](doc:LawsOfSignals)). A new observer receives
/// only later values. After the termination, it receives the termination.
///
/// For a paused observer, values are buffered according to the subject's ``BufferPolicy``. Other observers are not
/// delayed. Releasing a subject does not terminate its signal. The observers receive no more events, not even a
/// termination.
public final class Subject<Value: Sendable, Failure: Error>: Observer, SignalSource, Sendable {
    @usableFromInline
    let broadcast: UnsafeTransfer<Broadcast<Value, Failure>>
    @usableFromInline
    let policy: BufferPolicy

    /// Creates a subject without observers.
    ///
    /// - Parameters:
    ///   - policy: How to buffer values for a paused observer. Each observer has its own buffer.
    ///   - queue: How to buffer values that are sent during another delivery, from inside it or by other threads
    ///     ([law 4](doc:LawsOfSignals)).
    @inlinable
    public init(whilePaused policy: BufferPolicy = .unbounded, whileDelivering queue: BufferPolicy = .unbounded) {
        broadcast = UnsafeTransfer(Broadcast(whileDelivering: queue))
        self.policy = policy
    }

    /// The signal of the values and the termination that are sent. It retains the subject's state.
    @inlinable
    public var signal: Signal<Value, Failure> {
        let (broadcast, policy) = (broadcast, policy)
        return Signal(start: { sink, subscription in broadcast.value.add(sink, subscription, policy) })
    }

    /// Returns the signal. If `isOver` returns true at subscription, the subscriber receives completion immediately.
    package func signal(unless isOver: @escaping @Sendable () -> Bool) -> Signal<Value, Failure> {
        let (broadcast, policy) = (broadcast, policy)
        return Signal(start: { sink, subscription in
            if isOver() { return sink.receive(termination: .completed) }
            broadcast.value.add(sink, subscription, policy)
        })
    }

    /// Whether anything has subscribed so far, even if that subscription has ended.
    package var hasBeenObserved: Bool { broadcast.value.lastNumber.load(ordering: .acquiring) > 0 }

    /// Sends a value to all observers. Does nothing after the termination.
    ///
    /// The value is delivered before this call returns. During another delivery, the delivering thread delivers it
    /// instead.
    @inlinable
    public func send(_ value: Value) { broadcast.value.send(value) }

    /// Terminates the signal and releases the observers. Later calls do nothing.
    ///
    /// For a paused observer the termination waits behind the buffered values ([law 11](doc:LawsOfSignals)).
    @inlinable
    public func send(termination: Termination<Failure>) { broadcast.value.send(termination: termination) }

    /// Completes the signal. Does nothing after a termination.
    @inlinable
    public func complete() { send(termination: .completed) }

    /// Fails the signal with `failure`. Does nothing after a termination.
    @inlinable
    public func fail(_ failure: Failure) { send(termination: .failed(failure)) }

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
