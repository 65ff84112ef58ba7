// SPDX-License-Identifier: MIT
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
