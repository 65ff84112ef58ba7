// SPDX-License-Identifier: MIT
public import ReactiveCore
public import ReactiveSupport

/// The values of one window. They are stored until the first subscriber arrives, and then sent to all subscribers.
///
/// The first values of a window may arrive before its subscriber: after a pause, or behind an
/// ``Signal/observe(on:limit:whenFull:)``. One lock covers storing a value and fixing its position in the order of
/// deliveries. So the first subscriber receives every value once. Deliveries happen outside the lock (law 3). Only one
/// caller at a time sends, and nothing after the termination.
@usableFromInline
final class WindowCore<Value: Sendable, Failure: Error>: Sendable {
    @usableFromInline
    struct State: Sendable {
        @usableFromInline
        var waiting = FIFO<Value>()
        @usableFromInline
        var hasSubscriber = false

        @inlinable
        init() {}
    }

    @usableFromInline
    let policy: BufferPolicy
    @usableFromInline
    let state = Lock(State())
    @usableFromInline
    let broadcast = UnsafeTransfer(Broadcast<Value, Failure>())

    @inlinable
    init(_ policy: BufferPolicy) {
        self.policy = policy
    }

    @inlinable
    func send(_ value: Value) {
        typealias Sent = (slot: Broadcast<Value, Failure>.Slot, dropped: Value?)
        // Returned from the closure, so a dropped value is released outside the lock.
        let sent = state.withLock { state -> Sent? in
            if state.hasSubscriber { return broadcast.value.slot(for: value) }
            state.waiting.append(value)
            return nil
        }
        if let sent { broadcast.value.take(sent.slot, value) }
    }

    @inlinable
    func send(termination: Termination<Failure>) { broadcast.value.send(termination: termination) }

    @inlinable
    func subscribe(_ sink: Sink<Value, Failure>, _ subscription: SignalSubscription) {
        let subscriber = broadcast.value.prepare(sink, subscription, policy)
        let confined = UnsafeTransfer(subscriber)
        let slot = state.withLock { state in
            state.hasSubscriber = true
            return broadcast.value.slot(for: .add(confined, state.waiting.takeAll()))
        }
        if slot == .drain { broadcast.value.drain() }
        broadcast.value.didAdd(subscriber, subscription)
    }
}
