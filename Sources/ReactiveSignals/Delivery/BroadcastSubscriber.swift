// SPDX-License-Identifier: MIT
/// One observer of a broadcast, and the events that wait for it. It belongs to the holder of the broadcast's claim.
@usableFromInline
final class BroadcastSubscriber<Value: Sendable, Failure: Error> {
    @usableFromInline
    let number: Int
    @usableFromInline
    let tie: BroadcastTie<Value, Failure>

    @safe @exclusivity(unchecked)
    @usableFromInline
    var sink: PausableSink<Value, Failure>

    @inlinable
    init(
        _ tie: BroadcastTie<Value, Failure>,
        _ sink: Sink<Value, Failure>,
        _ subscription: SignalSubscription,
        _ policy: BufferPolicy
    ) {
        number = tie.number
        self.tie = tie
        self.sink = PausableSink(sink, subscription, policy)
    }
}
