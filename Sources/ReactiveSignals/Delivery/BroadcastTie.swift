// SPDX-License-Identifier: MIT
public import ReactiveSupport

/// A subscription's reference to a broadcast, and its number there.
///
/// Weak: the subscription may outlive the source.
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

    /// Sends the values that wait for the subscription.
    @inlinable
    func flush() { broadcast.object?.submit(.flush(number)) }

    /// Removes the subscription from the broadcast.
    @inlinable
    func remove() { broadcast.object?.submit(.remove(number)) }
}
