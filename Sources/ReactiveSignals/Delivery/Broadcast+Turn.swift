public import ReactiveCore

extension Broadcast {
    /// What is left to do outside the lock under which a place in the order of deliveries has been taken.
    @usableFromInline
    enum Turn: Sendable {
        /// The claim is ours and nothing is queued: deliver directly.
        case deliver
        /// The claim is ours and what we have is in the queue.
        case drain
        /// Another thread delivers it.
        case leave
    }

    /// Takes a place for a value; to be called under the lock that orders values, and followed by ``take(_:_:)``.
    ///
    /// What is dropped for it is given back, to be released outside the lock.
    @inlinable
    func turn(for value: Value) -> (turn: Turn, dropped: Value?) {
        if claim.take() { return (.deliver, nil) }
        let dropped = queue(.event(.value(value)))
        return (claim.announce() ? .drain : .leave, dropped)
    }

    /// Takes a place for something that is not a value.
    @inlinable
    func turn(for command: Command) -> Turn {
        _ = queue(command)
        return claim.announce() ? .drain : .leave
    }

    /// Does what is left to do; outside the lock.
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
