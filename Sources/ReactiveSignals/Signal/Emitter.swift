public import ReactiveCore
public import ReactiveSupport

/// What a signal's source sends by, to one subscription.
///
/// Any thread may send, also from inside a delivery: what is sent is put in one order and delivered by the thread that is
/// delivering already (laws 2 and 4). After the end, and after the subscription is disposed, sending does nothing. While
/// the subscription is paused values wait, as the signal's ``BufferPolicy`` says, and the end waits behind them (law 11).
public struct Emitter<Value: Sendable, Failure: Error>: Observer, Sendable {
    @usableFromInline
    let serializer: UnsafeTransfer<EventSerializer<Value, Failure>>
    @usableFromInline
    let input: SignalSubscription

    @inlinable
    init(_ serializer: EventSerializer<Value, Failure>, _ input: SignalSubscription) {
        self.serializer = UnsafeTransfer(serializer)
        self.input = input
    }

    /// Sends a value.
    @inlinable
    public func send(_ value: Value) { serializer.value.send(value) }

    /// Sends the end, and ends the source's subscription at once (law 6). The second and every later one does nothing.
    @inlinable
    public func send(termination: Termination<Failure>) {
        let subscription = serializer.value.subscription
        subscription.terminationBegins()
        input.dispose()
        serializer.value.send(termination: termination)
        subscription.terminationEnds()
    }

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
}
