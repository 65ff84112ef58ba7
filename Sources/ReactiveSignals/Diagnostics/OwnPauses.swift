// SPDX-License-Identifier: MIT

/// The pauses that have begun at one subscription since it was recorded, by kind.
struct OwnPauses: Sendable {
    private var bySubscriber = 0
    private var byOperator = 0
    private var byQueue = 0
    /// When the first of the present pauses began.
    private(set) var since: ContinuousClock.Instant?

    var isSubscribers: Bool { bySubscriber > 0 }
    var isQueues: Bool { byQueue > 0 }

    mutating func add(_ change: Int, _ kind: PauseKind) {
        // The pauses from before the recording are not counted, and their ends neither.
        switch kind {
        case .bySubscriber: bySubscriber = max(0, bySubscriber + change)
        case .byOperator: byOperator = max(0, byOperator + change)
        case .byQueue: byQueue = max(0, byQueue + change)
        }
        if bySubscriber + byOperator + byQueue == 0 { since = nil } else { since = since ?? .now }
    }
}
