// SPDX-License-Identifier: MIT
public import ReactiveCore

extension Broadcast {
    /// The next action of a caller that has fixed the position of its event in the order of deliveries. The caller
    /// performs it outside the lock.
    @usableFromInline
    enum Turn: Sendable {
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
    func turn(for value: Value) -> (turn: Turn, dropped: Value?) {
        if claim.take() { return (.deliver, nil) }
        let dropped = queue(.event(.value(value)))
        return (claim.announce() ? .drain : .leave, dropped)
    }

    /// Fixes the position of a command that is not a value.
    @inlinable
    func turn(for command: Command) -> Turn {
        _ = queue(command)
        return claim.announce() ? .drain : .leave
    }

    /// Performs the action that `turn(for:)` returned. Call it outside the lock.
    @inlinable
    func take(_ turn: Turn, _ value: Value) {
        switch turn {
        case .deliver:
            deliver(value)
            finish()
        case .drain: drain()
        case .leave: break
        }
    }
}
