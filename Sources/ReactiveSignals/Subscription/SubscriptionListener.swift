// SPDX-License-Identifier: MIT
/// A change of a subscription, as its listeners receive it.
@usableFromInline
package enum SubscriptionChange: Sendable {
    /// The first pause has begun.
    case paused
    /// The last pause has ended.
    case resumed
    /// Only operators pause the subscription now, so a failure may overtake values (law 9). This may be reported during
    /// another notification, and the state may have changed since.
    case failuresMayPass
    /// The subscription has been disposed, or its signal has terminated.
    case over
}

/// A listener for the end, for pauses, or for both.
enum SubscriptionListener {
    case end(@Sendable () -> Void)
    case flow(@Sendable (Bool) -> Void)
    case changes(@Sendable (SubscriptionChange) -> Void)

    /// Whether it is notified when a pause begins or ends.
    var receivesPauses: Bool { if case .end = self { false } else { true } }

    func report(isPaused: Bool) {
        switch self {
        case .end: break
        case .flow(let change): change(isPaused)
        case .changes(let change): change(isPaused ? .paused : .resumed)
        }
    }

    func reportPassingFailures() {
        if case .changes(let change) = self { change(.failuresMayPass) }
    }

    func reportEnd() {
        switch self {
        case .end(let teardown): teardown()
        case .flow: break
        case .changes(let change): change(.over)
        }
    }
}
