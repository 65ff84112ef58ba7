public import ReactiveCore
public import ReactiveSupport

/// A hot signal that the program sends to. Each value is sent to the observers of that time.
///
/// Any thread may send, also from inside a delivery. All observers see one order, and the thread that is delivering delivers
/// later values too (laws 2 and 4). A new observer gets later values only; after the termination, it gets the termination.
/// Values are buffered for a paused observer, as the subject's ``BufferPolicy`` says, without delaying other observers (law
/// 11). Releasing a subject does not terminate its signal: its observers get no more events.
public final class Subject<Value: Sendable, Failure: Error>: Observer, SignalSource, Sendable {
    @usableFromInline
    let broadcast: UnsafeTransfer<Broadcast<Value, Failure>>
    @usableFromInline
    let policy: BufferPolicy

    /// Makes a subject without observers.
    ///
    /// - Parameters:
    ///   - policy: How to buffer values for a paused observer. Each observer has its own buffer.
    ///   - queue: How to buffer values that are sent during another delivery, from inside it or by other threads (law 4).
    @inlinable
    public init(whilePaused policy: BufferPolicy = .unbounded, whileDelivering queue: BufferPolicy = .unbounded) {
        broadcast = UnsafeTransfer(Broadcast(whileDelivering: queue))
        self.policy = policy
    }

    /// The values and the termination that are sent. The signal retains the subject's state.
    @inlinable
    public var signal: Signal<Value, Failure> {
        let (broadcast, policy) = (broadcast, policy)
        return Signal(start: { sink, subscription in broadcast.value.add(sink, subscription, policy) })
    }

    /// Sends a value to all observers. Does nothing after the termination.
    @inlinable
    public func send(_ value: Value) { broadcast.value.send(value) }

    /// Terminates the signal and releases the observers (law 6). Later calls do nothing.
    @inlinable
    public func send(termination: Termination<Failure>) { broadcast.value.send(termination: termination) }

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
