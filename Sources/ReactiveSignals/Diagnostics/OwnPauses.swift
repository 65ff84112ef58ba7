// SPDX-License-Identifier: MIT

/// The pauses that have begun at one subscription since it was recorded, by kind.
struct OwnPauses: Sendable {
    private var counts: [PauseKind: Int] = [:]
    /// When the first of the present pauses began.
    private(set) var since: ContinuousClock.Instant?

    var isSubscribers: Bool { counts[.bySubscriber] != nil }
    var isQueues: Bool { counts[.byQueue] != nil }

    mutating func add(_ change: Int, _ kind: PauseKind) {
        // The pauses from before the recording are not counted, and their ends neither.
        let count = max(0, counts[kind, default: 0] + change)
        counts[kind] = count > 0 ? count : nil
        if counts.isEmpty { since = nil } else { since = since ?? .now }
    }
}
