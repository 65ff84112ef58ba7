// SPDX-License-Identifier: MIT
public import ReactiveCore

extension Broadcast {
    /// What to do outside the lock, after an event has taken its slot in the order of deliveries.
    @usableFromInline
    enum Turn: Sendable {
        /// The caller holds the claim, and nothing is queued: deliver directly.
        case deliver
        /// The caller holds the claim, and its event is queued.
        case drain
        /// Another thread delivers the event.
        case leave
    }

    /// Takes a slot for a value. Call it under the lock that orders values, then call ``take(_:_:)``.
    ///
    /// Also returns the value that is dropped for it. Release that value outside the lock.
    @inlinable
    func turn(for value: Value) -> (turn: Turn, dropped: Value?) {
        if claim.take() { return (.deliver, nil) }
        let dropped = queue(.event(.value(value)))
        return (claim.announce() ? .drain : .leave, dropped)
    }

    /// Takes a slot for a command that is not a value.
    @inlinable
    func turn(for command: Command) -> Turn {
        _ = queue(command)
        return claim.announce() ? .drain : .leave
    }

    /// Does what `turn` says. Call it outside the lock.
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
