// SPDX-License-Identifier: MIT
// What a pause is, which state the pauses of a subscription give, and what a subscription passes on to its inputs.
//
// A subscription passes its pauses on to its inputs, the subscriptions to its sources. The table says what an input
// counts when the state of the subscription changes:
//
// | Passing | `open` to `bySubscriber` | `open` to `byOperators` | between the last two |
// |---|---|---|---|
// | `asItIs` | one pause by a subscriber | one pause by an operator | the pause changes its kind |
// | `inOrder` | one pause by a subscriber | one pause by a subscriber | nothing |
// | `kindOnly` | nothing | that a failure may overtake | that it may, or may not |
// | `nothing` | nothing | nothing | nothing |

/// The party that pauses a subscription. The kind decides whether a failure overtakes the values that the pause delays
/// (law 9).
@usableFromInline
package enum PauseKind: Sendable {
    /// A consumer. A failure waits behind the values that the source buffers.
    case bySubscriber
    /// An operator that delays values itself. A failure overtakes the values that the source buffers.
    case byOperator
    /// An operator whose queue keeps values and failure in order. A failure stays behind the queued values, unless an
    /// operator further downstream pauses this operator.
    case byQueue
}

/// The pauses that a subscription passes on to an input.
@usableFromInline
package enum PausePassing: Sendable {
    /// Every pause, with its kind.
    case asItIs
    /// Every pause, as if the subscriber had paused. Used by an operator that replaces a failure with something that
    /// must not overtake values.
    case inOrder
    /// Passes on no pause. It only notifies the upstream subscription whether the downstream one is in the state
    /// `byOperators`. Used by `buffer`, whose source continues during a pause.
    case kindOnly
    /// Passes on nothing. Used for an input whose events are needed during a pause.
    case nothing
}

/// Whether a subscription is paused, and whether a failure may overtake its values.
enum PauseState: Sendable {
    case open
    /// Paused by operators only: values wait, a failure does not.
    case byOperators
    /// Paused by a subscriber, or by queues alone: values wait, and a failure waits behind them.
    case bySubscriber

    var isPaused: Bool { self != .open }
}

/// The numbers of a subscription's pauses, or a change of these numbers.
struct PauseCounts {
    /// The pauses of all kinds. Used for a change only: `SignalSubscription.state` contains the number itself.
    var total: Int32 = 0
    /// The pauses by operators and by queues.
    var notBySubscriber: Int32 = 0
    /// The pauses by operators, and the `kindOnly` links whose downstream subscription is in the state `byOperators`.
    /// Such a link passes on no pause, so the total does not include it.
    var overtakable: Int32 = 0

    /// Returns the state, given the number of pauses of all kinds.
    func state(of total: Int) -> PauseState {
        if total == 0 { return .open }
        if total > Int(notBySubscriber) { return .bySubscriber }
        return overtakable > 0 ? .byOperators : .bySubscriber
    }

    /// Applies the part of a change that the total does not contain.
    mutating func apply(_ change: PauseCounts) {
        notBySubscriber += change.notBySubscriber
        overtakable += change.overtakable
    }

    /// Whether only the number of subscribers' pauses changes.
    var isPlain: Bool { notBySubscriber == 0 && overtakable == 0 }
    var isNothing: Bool { total == 0 && isPlain }
}

extension PauseCounts {
    init(_ change: Int32, _ kind: PauseKind) {
        switch kind {
        case .bySubscriber: self.init(total: change)
        case .byOperator: self.init(total: change, notBySubscriber: change, overtakable: change)
        case .byQueue: self.init(total: change, notBySubscriber: change)
        }
    }

    /// The change that a link passes on to the input when the state of the downstream subscription changes from `old`
    /// to `new`.
    init(from old: PauseState, to new: PauseState, _ passing: PausePassing) {
        let pausing: Int32 = (new.isPaused ? 1 : 0) - (old.isPaused ? 1 : 0)
        let operating: Int32 = (new == .byOperators ? 1 : 0) - (old == .byOperators ? 1 : 0)
        switch passing {
        case .asItIs: self.init(total: pausing, notBySubscriber: operating, overtakable: operating)
        case .inOrder: self.init(total: pausing)
        case .kindOnly: self.init(overtakable: operating)
        case .nothing: self.init()
        }
    }
}
