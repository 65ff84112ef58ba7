import ReactiveSupport

/// The main thread's loops, one for each kind of poller. A generic type cannot have a stored static property.
enum MainLoops {
    private static let published = Publications()

    /// The loop of a kind. A thread that has none to find calls `make`, which returns a loop that is ready for use by any thread,
    /// its host included: from its publication on another thread may run it (rule M8). Where several threads are first at once,
    /// all but one call `discard` for what they made. `make` throws where there can be none now; the next call tries again.
    static func loop<Loop: AnyObject & Sendable, Failure: Error>(
        _ make: () throws(Failure) -> Loop,
        discard: (Loop) -> Void
    ) throws(Failure) -> Loop {
        let key = Publications.Key(Loop.self)
        if let known = published.object(key) as? Loop { return known }
        let made = try make()
        guard let kept = published.publish(made, key) as? Loop else {
            preconditionFailure("a main loop of another kind")
        }
        if kept !== made { discard(made) }
        return kept
    }
}
