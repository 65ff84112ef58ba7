/// What a subscription has to remember, behind its lock.
///
/// Each connection has a subscription, so the ledger itself holds what nearly all subscriptions need: one listener. Everything else
/// is in `rest`, which most subscriptions never allocate. No field is weak: the runtime moves a value with a weak field field by
/// field, and each termination moves the ledger.
struct SubscriptionLedger {
    /// The first listener; most subscriptions have no other. The subscription's notes say what it has received about pauses, if
    /// it receives pauses.
    private var first: SubscriptionListener?
    /// None or one: an array is a box that is `Sendable`.
    private var rest: [Rest] = []

    private struct Rest {
        /// In the order in which they came.
        var listeners: [LaterListener] = []
        /// The slots of those that have ended are used again, so the list is as long as there were children at one time.
        var links: [SubscriptionLink?] = []
        var freeSlots: [Int] = []
        var pauses = PauseCounts()
    }

    private struct LaterListener {
        let listener: SubscriptionListener
        /// What it has been told, unless it is the first to hear of pauses.
        var notes = FlowNotes()
    }

    private mutating func withRest<Result>(_ body: (inout Rest) -> Result) -> Result {
        if rest.isEmpty { rest.append(Rest()) }
        return body(&rest[0])
    }

    // MARK: What depends on it

    var hasLinks: Bool { !rest.isEmpty && rest[0].links.count > rest[0].freeSlots.count }

    /// Everything that depends on this one.
    var links: [SubscriptionLink] { rest.isEmpty ? [] : rest[0].links.compactMap { $0 } }

    mutating func add(_ link: SubscriptionLink) -> Int {
        withRest { rest in
            if let slot = rest.freeSlots.popLast() {
                rest.links[slot] = link
                return slot
            }
            rest.links.append(link)
            return rest.links.count - 1
        }
    }

    /// Frees a slot, unless it is another's: the one whose it was has ended meanwhile.
    mutating func removeLink(_ slot: Int, of child: SignalSubscription) {
        guard !rest.isEmpty, slot < rest[0].links.count, rest[0].links[slot]?.subscription === child else { return }
        rest[0].links[slot] = nil
        rest[0].freeSlots.append(slot)
    }

    mutating func takeLinks() -> [SignalSubscription] {
        defer { if !rest.isEmpty { (rest[0].links, rest[0].freeSlots) = ([], []) } }
        return links.map(\.subscription)
    }

    // MARK: Pauses

    /// What `total` pauses of all kinds amount to.
    func pauseState(of total: Int) -> PauseState {
        rest.isEmpty ? total == 0 ? .open : .bySubscriber : rest[0].pauses.state(of: total)
    }

    /// Counts what is not counted with the pauses of all kinds.
    mutating func count(_ change: PauseChange) {
        if !change.isPlain { withRest { $0.pauses.apply(change) } }
    }

    // MARK: Who listens

    /// Adds a listener; `notes` are the subscription's.
    mutating func add(_ listener: SubscriptionListener, isPaused: Bool, _ notes: inout FlowNotes) {
        var own = FlowNotes()
        if listener.hearsFlow {
            if notes.hasListener {
                // Also where the end of a pause is yet to be said: whoever looks at the first's notes takes it for one.
                own.hasMissedPause = isPaused || notes.lastReported
            } else {
                notes.hasListener = true
                notes.hasMissedPause = isPaused
            }
        }
        if first == nil {
            first = listener
        } else {
            withRest { $0.listeners.append(LaterListener(listener: listener, notes: own)) }
        }
    }

    /// A source may see this pause and stop, and a resume may come before anybody is told.
    mutating func pauseIsUntold(_ notes: inout FlowNotes) {
        notes.hasMissedPause = true
        guard !rest.isEmpty else { return }
        for index in rest[0].listeners.indices { rest[0].listeners[index].notes.hasMissedPause = true }
    }

    /// What is to be told now, and to whom.
    mutating func nextCalls(_ isPaused: Bool, _ notes: inout FlowNotes) -> [FlowCall] {
        var calls: [FlowCall] = []
        var isFirst = true
        if let first, first.hearsFlow {
            for isPaused in notes.next(isPaused) { calls.append((first, isPaused)) }
            isFirst = false
        }
        guard !rest.isEmpty else { return calls }
        for index in rest[0].listeners.indices {
            let listener = rest[0].listeners[index].listener
            guard listener.hearsFlow else { continue }
            let next = isFirst ? notes.next(isPaused) : rest[0].listeners[index].notes.next(isPaused)
            for isPaused in next { calls.append((listener, isPaused)) }
            isFirst = false
        }
        return calls
    }

    /// Whether the last that a listener has been told is a pause.
    func hasToldPause(_ notes: FlowNotes) -> Bool {
        notes.lastReported || (rest.first?.listeners.contains { $0.notes.lastReported } ?? false)
    }

    /// All listeners, in the order in which they were added.
    var listeners: [SubscriptionListener] {
        (first.map { [$0] } ?? []) + (rest.first?.listeners.map(\.listener) ?? [])
    }

    // MARK: The end

    /// Takes everything out, so that it is run and released outside the lock.
    mutating func takeAll() -> Last {
        var ledger = SubscriptionLedger()
        swap(&ledger, &self)
        return Last(ledger: ledger)
    }

    /// What there was when it ended.
    struct Last {
        fileprivate let ledger: SubscriptionLedger

        func reportEnd() {
            ledger.first?.reportEnd()
            guard let rest = ledger.rest.first else { return }
            for later in rest.listeners { later.listener.reportEnd() }
        }

        var links: [SubscriptionLink?] { ledger.rest.first?.links ?? [] }

        func pauseState(of total: Int) -> PauseState { ledger.pauseState(of: total) }
    }
}

/// A listener and what it is to be told.
typealias FlowCall = (listener: SubscriptionListener, isPaused: Bool)

/// A subscription that waits while another one does.
struct SubscriptionLink {
    let subscription: SignalSubscription
    /// Whether it is a child, which ends with its parent too.
    let endsTogether: Bool
    /// Which pauses it gets from the other one.
    let passing: PausePassing

    init(_ subscription: SignalSubscription, endsTogether: Bool, _ passing: PausePassing) {
        self.subscription = subscription
        self.endsTogether = endsTogether
        self.passing = passing
    }
}
