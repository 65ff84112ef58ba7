/// The party that pauses a subscription. The kind decides whether a failure overtakes the values that the pause delays (law 9).
@usableFromInline
package enum PauseKind: Sendable {
    /// A consumer. A failure waits behind the values that the source buffers.
    case subscriber
    /// An operator that delays values itself. A failure overtakes the values that the source buffers.
    case byOperator
    /// An operator whose queue keeps values and failure in order. A failure overtakes values only while another operator
    /// downstream pauses this one.
    case byQueue
}

/// The pauses that a subscription passes on to a dependent one.
@usableFromInline
package enum PausePassing: Sendable {
    /// Every pause, with its kind.
    case asItIs
    /// Every pause, as a subscriber's. For an operator that turns a failure into something else, which overtakes no value.
    case inOrder
    /// No pause, only whether operators alone pause. For a queue that is not paused with its subscriber.
    case kindOnly
}

/// Whether a subscription is paused, and whether a failure may overtake its values.
enum PauseState: Sendable {
    case open
    /// Paused by operators only: values wait, a failure does not.
    case byOperators
    /// Paused by a subscriber: values wait, and a failure waits behind them.
    case bySubscriber

    var isPaused: Bool { self != .open }
}

/// The number of pauses in force, for each kind except `subscriber`.
struct PauseCounts {
    private var operators: Int32 = 0
    private var queues: Int32 = 0
    /// The number of subscriptions that operators alone pause and that are linked with `kindOnly`.
    private var known: Int32 = 0

    /// Returns the state, given the number of pauses of all kinds.
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

/// A change of the number of a subscription's pauses.
struct PauseChange {
    /// The change for all kinds together.
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

    /// The change for a dependent subscription, when the state of the one that it depends on changes.
    init(from old: PauseState, to new: PauseState, _ passing: PausePassing) {
        let pausing = (new.isPaused ? 1 : 0) - (old.isPaused ? 1 : 0)
        let operating = (new == .byOperators ? 1 : 0) - (old == .byOperators ? 1 : 0)
        switch passing {
        case .asItIs: (total, operators) = (pausing, operating)
        case .inOrder: total = pausing
        case .kindOnly: known = operating
        }
    }

    /// Whether only the number of subscribers' pauses changes.
    var isPlain: Bool { operators == 0 && queues == 0 && known == 0 }
    var isNothing: Bool { total == 0 && isPlain }
}
