import ReactiveSupport

/// The main thread's loops, one for each kind of poller. A generic type cannot have a stored static property.
enum MainLoops {
    private static let published = Publications()

    /// The loop of a kind. A thread that finds none calls `make`. That loop must be complete, with its host attached, because another
    /// thread may run it as soon as it is published (rule M8). If several threads make one, all but one `discard` theirs. If
    /// `make` throws, the next call tries again.
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
