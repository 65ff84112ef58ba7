/// Which party pauses a subscription, and so what a failure does with the values that the pause delays (law 9).
@usableFromInline
package enum PauseKind: Sendable {
    /// A consumer. A failure waits behind the values that the source holds.
    case subscriber
    /// An operator that delays values itself. A failure overtakes the values that the source holds.
    case byOperator
    /// An operator with a queue that keeps values and failure in order. A failure overtakes values only while another operator
    /// downstream pauses this one.
    case byQueue
}

/// Which pauses a subscription passes on to another one that depends on it.
@usableFromInline
package enum PausePassing: Sendable {
    /// Every pause, as what it is.
    case asItIs
    /// Every pause, as a subscriber's: for an operator that turns a failure into something else, which overtakes no value.
    case inOrder
    /// No pause, only whether operators alone are pausing: for a queue that does not wait with its subscriber.
    case kindOnly
}

/// Whether a subscription is paused, and what that means for a failure.
enum PauseState: Sendable {
    case open
    /// Paused by operators only: values wait, a failure does not.
    case byOperators
    /// Paused by a subscriber: values wait, and a failure behind them.
    case bySubscriber

    var isPaused: Bool { self != .open }
}

/// How many pauses of each kind are in force beside those of subscribers.
struct PauseCounts {
    private var operators: Int32 = 0
    private var queues: Int32 = 0
    /// How many that this depends on are paused by operators only, where it does not wait with them.
    private var known: Int32 = 0

    /// What `total` pauses of all kinds amount to.
    func state(of total: Int) -> PauseState {
        if total == 0 { return .open }
        if total > Int(operators) + Int(queues) { return .bySubscriber }
        return operators > 0 || known > 0 ? .byOperators : .bySubscriber
    }

    mutating func apply(_ change: PauseChange) {
        operators += Int32(change.operators)
        queues += Int32(change.queues)
        known += Int32(change.known)
    }
}

/// How the pauses of a subscription change.
struct PauseChange {
    /// Of all kinds together.
    var total = 0
    var operators = 0
    var queues = 0
    var known = 0

    init(_ change: Int, _ kind: PauseKind) {
        total = change
        switch kind {
        case .subscriber: break
        case .byOperator: operators = change
        case .byQueue: queues = change
        }
    }

    /// What a change from one state to another changes where `passing` says what is passed on.
    init(from old: PauseState, to new: PauseState, _ passing: PausePassing) {
        let pausing = (new.isPaused ? 1 : 0) - (old.isPaused ? 1 : 0)
        let operating = (new == .byOperators ? 1 : 0) - (old == .byOperators ? 1 : 0)
        switch passing {
        case .asItIs: (total, operators) = (pausing, operating)
        case .inOrder: total = pausing
        case .kindOnly: known = operating
        }
    }

    /// Whether subscribers' pauses alone change.
    var isPlain: Bool { operators == 0 && queues == 0 && known == 0 }
    var isNothing: Bool { total == 0 && isPlain }
}
