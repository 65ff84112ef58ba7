public import ReactiveSupport

/// What a subscription knows of the broadcast it is at: which one, and who it is there.
///
/// Weak: the subscription outlives a source that nobody has any more.
@usableFromInline
final class BroadcastTie<Value: Sendable, Failure: Error> {
    @usableFromInline
    let broadcast: WeakHandle<Broadcast<Value, Failure>>
    @usableFromInline
    let number: Int

    @inlinable
    init(_ broadcast: WeakHandle<Broadcast<Value, Failure>>, _ number: Int) {
        self.broadcast = broadcast
        self.number = number
    }

    /// Sends what waits for the subscription.
    @inlinable
    func flush() { broadcast.object?.submit(.flush(number)) }

    /// Takes the subscription off the broadcast.
    @inlinable
    func remove() { broadcast.object?.submit(.remove(number)) }
}
