public import ReactiveCore
public import ReactiveSupport

/// A hot signal that is sent to by hand: what goes in comes out at everyone who is subscribed at that time.
///
/// Any thread may send, also from inside a delivery; all observers see one order, and whoever is delivering delivers what
/// was sent meanwhile (laws 2 and 4). Who subscribes gets what is sent after that; after the end, the end. A paused observer
/// has its values kept for it, as the subject's ``BufferPolicy`` says, and holds nobody else up (law 11). Letting go of a
/// subject does not end it: its observers hear no more.
public final class Subject<Value: Sendable, Failure: Error>: Observer, SignalSource, Sendable {
    @usableFromInline
    let broadcast: UnsafeTransfer<Broadcast<Value, Failure>>
    @usableFromInline
    let policy: BufferPolicy

    /// Makes a subject nobody observes.
    ///
    /// `policy` is for the values that a paused observer cannot take yet; each observer has its own. `queue` is for those
    /// that are sent while another one is being delivered, from inside it or by other threads (law 4).
    @inlinable
    public init(whilePaused policy: BufferPolicy = .unbounded, whileDelivering queue: BufferPolicy = .unbounded) {
        broadcast = UnsafeTransfer(Broadcast(whileDelivering: queue))
        self.policy = policy
    }

    /// What is sent, as a signal; the subject lives as long as the signal does.
    @inlinable
    public var signal: Signal<Value, Failure> {
        let (broadcast, policy) = (broadcast, policy)
        return Signal(start: { sink, subscription in broadcast.value.add(sink, subscription, policy) })
    }

    /// Sends a value to everyone who is subscribed; after the end it does nothing.
    @inlinable
    public func send(_ value: Value) { broadcast.value.send(value) }

    /// Sends the end, and lets go of the observers (law 6). The second and every later one does nothing.
    @inlinable
    public func send(termination: Termination<Failure>) { broadcast.value.send(termination: termination) }

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
