// SPDX-License-Identifier: MIT
// What a pause is, which state the pauses of a subscription give, and what a subscription passes on to its dependents.
//
// A subscription passes its pauses on to its dependents, the subscriptions to its sources. When its state changes, a
// dependent counts:
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

/// The pauses that a subscription passes on to a dependent one.
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

    /// Whether a pause of the downstream subscription pauses the upstream one.
    var stopsValues: Bool {
        switch self {
        case .asItIs, .inOrder: true
        case .kindOnly, .nothing: false
        }
    }
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

/// The number of pauses in force, for each kind except `bySubscriber`.
struct PauseCounts {
    private var operators: Int32 = 0
    private var queues: Int32 = 0
    /// The number of `kindOnly` links whose downstream subscription is in the state `byOperators`. Such a link passes
    /// on no pause, so the total does not include it.
    private var pausedByOperatorsDownstream: Int32 = 0

    /// Returns the state, given the number of pauses of all kinds.
    func state(of total: Int) -> PauseState {
        if total == 0 { return .open }
        if total > Int(operators) + Int(queues) { return .bySubscriber }
        return operators > 0 || pausedByOperatorsDownstream > 0 ? .byOperators : .bySubscriber
    }

    mutating func apply(_ change: PauseChange) {
        operators += Int32(change.operators)
        queues += Int32(change.queues)
        pausedByOperatorsDownstream += Int32(change.pausedByOperatorsDownstream)
    }
}

/// A change of the number of a subscription's pauses.
struct PauseChange {
    /// The change of the total, over all kinds of pauses.
    var total = 0
    var operators = 0
    var queues = 0
    /// Used only for links of kind `kindOnly`: +1 if the downstream subscription enters the state `byOperators`, -1 if
    /// it leaves it.
    var pausedByOperatorsDownstream = 0

    init(_ change: Int, _ kind: PauseKind) {
        total = change
        switch kind {
        case .bySubscriber: break
        case .byOperator: operators = change
        case .byQueue: queues = change
        }
    }

    /// The change that a link passes to the dependent subscription when the state of the other subscription changes
    /// from `old` to `new`.
    init(from old: PauseState, to new: PauseState, _ passing: PausePassing) {
        let pausing = (new.isPaused ? 1 : 0) - (old.isPaused ? 1 : 0)
        let operating = (new == .byOperators ? 1 : 0) - (old == .byOperators ? 1 : 0)
        switch passing {
        case .asItIs: (total, operators) = (pausing, operating)
        case .inOrder: total = pausing
        case .kindOnly: pausedByOperatorsDownstream = operating
        case .nothing: break
        }
    }

    /// Whether only the number of subscribers' pauses changes.
    var isPlain: Bool { operators == 0 && queues == 0 && pausedByOperatorsDownstream == 0 }
    var isNothing: Bool { total == 0 && isPlain }
}
