/// What a subscription tells of itself.
@usableFromInline
package enum SubscriptionChange: Sendable {
    /// The first hold has been taken.
    case paused
    /// The last hold has been given back.
    case resumed
    /// The last hold of a subscriber has been given back, those of operators are left: a failure may pass (law 9). It may come during
    /// another notification, and says nothing about the present.
    case eased
    /// It has ended: by disposal, or with the signal.
    case over
}

/// Who is told: of the end, of pauses, or of both.
enum SubscriptionListener {
    case end(@Sendable () -> Void)
    case flow(@Sendable (Bool) -> Void)
    case changes(@Sendable (SubscriptionChange) -> Void)

    var hearsFlow: Bool { if case .end = self { false } else { true } }

    func report(isPaused: Bool) {
        switch self {
        case .end: break
        case .flow(let change): change(isPaused)
        case .changes(let change): change(isPaused ? .paused : .resumed)
        }
    }

    func reportEasing() {
        if case .changes(let change) = self { change(.eased) }
    }

    func reportEnd() {
        switch self {
        case .end(let teardown): teardown()
        case .flow: break
        case .changes(let change): change(.over)
        }
    }
}
