// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSupport

/// The main loops, one for each kind of poller. They are stored here because a generic type cannot have a stored static
/// property.
enum MainLoops {
    private static let published = Publications()
    private static let refusing = Publications()

    /// Returns the main loop of a kind. If there is none, calls `make` and publishes the result. The result must be
    /// complete, with its host attached, because another thread may run the loop as soon as it is published (rule M8).
    /// If several threads call `make` at the same time, one loop is published, and the others are passed to `discard`.
    /// If `make` throws, the next call tries again.
    static func loop<Loop: AnyObject & Sendable, Failure: Error>(
        _ make: () throws(Failure) -> Loop,
        discard: (Loop) -> Void
    ) throws(Failure) -> Loop {
        let key = Publications.Key(Loop.self)
        if let known = published.object(key) as? Loop { return known }
        let made = try make()
        guard let kept = published.publish(made, key) as? Loop else {
            fatalError("the published main loop is not a \(Loop.self)")
        }
        if kept !== made { discard(made) }
        return kept
    }

    /// Returns the main loop of a kind after `make` has failed. If another thread has published a loop, returns that
    /// loop. Otherwise returns a loop that refuses every call. There is one such loop for each error number. It is
    /// never released, because actors do not retain the loop that is their executor.
    static func loop<Loop: AnyObject & Sendable>(refusingWith failure: LoopError, _ make: () -> Loop) -> Loop {
        if let known = published.object(Publications.Key(Loop.self)) as? Loop { return known }
        let key = Publications.Key(perProcess: Loop.self, variant: failure.errno)
        if let known = refusing.object(key) as? Loop { return known }
        let made = make()
        return refusing.publish(made, key) as? Loop ?? made
    }
}
