// SPDX-License-Identifier: MIT
public import ReactiveCore
public import ReactiveSupport
import Synchronization

/// A broadcast that stores the last values, for replay subjects, replayed signals and windows.
///
/// One lock covers both storing a value and fixing its position in the order of deliveries. So each subscriber receives
/// every value once, the stored ones first. All deliveries happen outside the lock, including those of stored values
/// (law 3).
@usableFromInline
final class ReplayCore<Value: Sendable, Failure: Error>: Sendable {
    @usableFromInline
    struct State: Sendable {
        @usableFromInline
        var values = FIFO<Value>()
        /// How many values to store.
        @usableFromInline
        var limit: Int
        @usableFromInline
        var hasEnd = false
        /// The failure, if it was sent before anything subscribed. The first subscriber observes it.
        @usableFromInline
        var unobserved: UnobservedFailure<Failure>?

        @inlinable
        init(_ limit: Int) { self.limit = limit }
    }

    @usableFromInline
    let policy: BufferPolicy
    /// Whether only the first subscriber receives stored values. No value is stored after it has subscribed.
    @usableFromInline
    let storesForFirst: Bool
    @usableFromInline
    let state: Lock<State>
    @usableFromInline
    let broadcast = UnsafeTransfer(Broadcast<Value, Failure>())

    @inlinable
    init(_ limit: Int, _ policy: BufferPolicy, storesForFirst: Bool = false) {
        self.policy = policy
        self.storesForFirst = storesForFirst
        state = Lock(State(max(0, limit)))
    }

    @inlinable
    func send(_ value: Value) {
        typealias Stored = (slot: Broadcast<Value, Failure>.Slot, forgotten: Value?, dropped: Value?)
        // Returned from the closure, so dropped values are released outside the lock.
        let stored = state.withLock { state -> Stored? in
            if state.hasEnd { return nil }
            let forgotten = state.values.count == state.limit ? state.values.popFirst() : nil
            if state.limit > 0 { state.values.append(value) }
            let (slot, dropped) = broadcast.value.slot(for: value)
            return (slot, forgotten, dropped)
        }
        if let stored { broadcast.value.take(stored.slot, value) }
    }

    @inlinable
    func send(termination: Termination<Failure>) {
        let slot = state.withLock { state -> Broadcast<Value, Failure>.Slot in
            if state.hasEnd { return .leave }
            state.hasEnd = true
            return broadcast.value.slot(for: .event(.ended(termination)))
        }
        if slot == .drain { broadcast.value.drain() }
    }

    /// Sends a failure. It is reported if nothing ever subscribes.
    func send(_ failure: Failure, unlessObserved unobserved: UnobservedFailure<Failure>) {
        let isObserved = state.withLock { state in
            // Each subscriber is counted before it takes the lock. So it is either counted here, or finds the failure.
            if state.hasEnd || broadcast.value.lastNumber.load(ordering: .acquiring) > 0 { return true }
            state.unobserved = unobserved
            return false
        }
        if isObserved { unobserved.observe() }
        send(termination: .failed(failure))
    }

    @inlinable
    func subscribe(_ sink: Sink<Value, Failure>, _ subscription: SignalSubscription) {
        let subscriber = broadcast.value.prepare(sink, subscription, policy)
        let confined = UnsafeTransfer(subscriber)
        let slot = state.withLock { state in
            state.unobserved?.observe()
            if storesForFirst {
                state.limit = 0
                return broadcast.value.slot(for: .add(confined, state.values.takeAll()))
            }
            let values = state.values.elements[state.values.head...].compactMap { $0 }
            return broadcast.value.slot(for: .add(confined, values))
        }
        if slot == .drain { broadcast.value.drain() }
        broadcast.value.didAdd(subscriber, subscription)
    }
}
