// SPDX-License-Identifier: MIT
public import ReactiveCore

extension Broadcast {
    /// The next action of a caller that has fixed the position of its event in the order of deliveries. The caller
    /// performs it outside the lock.
    @usableFromInline
    enum Slot: Sendable {
        /// The caller holds the claim, and nothing is queued: deliver directly.
        case deliver
        /// The caller holds the claim, and its event is queued.
        case drain
        /// Another thread delivers the event.
        case leave
    }

    /// Fixes the position of a value in the order of deliveries. Call it under the lock that orders values, then call
    /// ``take(_:_:)`` outside it.
    ///
    /// If the queue is full, it also returns the value that is dropped. Release that value outside the lock.
    @inlinable
    func slot(for value: Value) -> (slot: Slot, dropped: Value?) {
        if claim.take() { return (.deliver, nil) }
        let dropped = queue(.event(.value(value)))
        return (claim.announce() ? .drain : .leave, dropped)
    }

    /// Fixes the position of a step that is not a value.
    @inlinable
    func slot(for step: DeliveryStep) -> Slot {
        _ = queue(step)
        return claim.announce() ? .drain : .leave
    }

    /// Performs the action that `slot(for:)` returned. Call it outside the lock.
    @inlinable
    func take(_ slot: Slot, _ value: Value) {
        switch slot {
        case .deliver:
            deliver(value)
            finish()
        case .drain: drain()
        case .leave: break
        }
    }
}
