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

    func reportFailuresMayPass() {
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

/// Flags for notifying a subscription's listeners. The first two record what one listener knows of the pauses.
struct FlowState: OptionSet {
    let rawValue: UInt8

    /// The last notification reported a pause. Not set before the first notification.
    static let pauseReported = FlowState(rawValue: 0b0001)
    /// A pause has begun since the last notification. The pause may have ended again, but the source may have seen it and
    /// stopped.
    static let pauseMissed = FlowState(rawValue: 0b0010)
    /// A thread is calling the listeners. That thread checks for changes again when the calls have returned.
    static let isReporting = FlowState(rawValue: 0b0100)
    /// A listener receives pauses.
    static let hasListener = FlowState(rawValue: 0b1000)

    /// Records the current state as reported, and returns the notifications that are due: `true` for a pause, `false`
    /// for a resume. They alternate. A missed pause that has ended is reported as a pause and a resume, because the
    /// source may have stopped for it.
    mutating func takeNext(_ isPaused: Bool) -> [Bool] {
        let hasMissedPause = contains(.pauseMissed)
        let wasPaused = contains(.pauseReported)
        subtract([.pauseReported, .pauseMissed])
        if isPaused { insert(.pauseReported) }
        if wasPaused != isPaused { return [isPaused] }
        return hasMissedPause && !isPaused ? [true, false] : []
    }
}
