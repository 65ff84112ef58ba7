// SPDX-License-Identifier: MIT
/// One observer of a broadcast, and the events that wait for it. It belongs to the holder of the broadcast's claim.
@usableFromInline
final class BroadcastSubscriber<Value: Sendable, Failure: Error> {
    @usableFromInline
    let number: Int

    @safe @exclusivity(unchecked)
    @usableFromInline
    var sink: PausableSink<Value, Failure>

    @inlinable
    init(
        _ number: Int,
        _ sink: Sink<Value, Failure>,
        _ subscription: SignalSubscription,
        _ policy: BufferPolicy
    ) {
        self.number = number
        self.sink = PausableSink(sink, subscription, policy)
    }
}
