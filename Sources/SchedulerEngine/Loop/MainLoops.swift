import ReactiveSupport

/// The main thread's loops, one for each kind of poller. A generic type cannot have a stored static property.
final class MainLoops: Sendable {
    static let shared = MainLoops()

    private let loops = Lock<[ObjectIdentifier: any AnyObject & Sendable]>([:])

    /// The loop of a kind; `make` is called outside the lock, and what a second caller made at the same time is let go of.
    /// `prepare` is called for the one that is kept, before anybody else can have it twice.
    func loop<Loop: AnyObject & Sendable>(
        _ kind: ObjectIdentifier,
        _ make: () -> Loop,
        prepare: (Loop) -> Void
    ) -> Loop {
        if let known = loops.withLock({ loops in loops[kind] }) as? Loop { return known }
        let made = make()
        let earlier = loops.withLock { loops in
            let earlier = loops[kind]
            if earlier == nil { loops[kind] = made }
            return earlier
        }
        if let earlier = earlier as? Loop { return earlier }
        prepare(made)
        return made
    }
}
