/// What a subscription has to remember, behind its lock.
///
/// There is one subscription for each connection that somebody receives from, so what nearly all have is here, in as few
/// bytes as it takes, and the rest has a place of its own where there is any. Nothing here is weak: a value that has something
/// weak in it is moved by the runtime, field by field, and this one is moved at each end.
struct SubscriptionLedger {
    /// The first one needs no array: most subscriptions have one.
    private(set) var firstTeardown: (@Sendable () -> Void)?
    /// Who is told of pauses first; what it has been told is in the subscription's notes.
    private var firstFlow: (@Sendable (Bool) -> Void)?
    /// None or one: an array is a box that is `Sendable`.
    private var rest: [Rest] = []

    private struct Rest {
        var teardowns: [@Sendable () -> Void] = []
        var flow: [FlowListener] = []
        /// The slots of those that have ended are used again, so the list is as long as there were children at one time.
        var links: [SubscriptionLink?] = []
        var freeSlots: [Int] = []
    }

    private mutating func withRest<Result>(_ body: (inout Rest) -> Result) -> Result {
        if rest.isEmpty { rest.append(Rest()) }
        return body(&rest[0])
    }

    var hasLinks: Bool { !rest.isEmpty && rest[0].links.count > rest[0].freeSlots.count }

    /// Everything that waits while this one waits.
    var linked: [SignalSubscription] { rest.isEmpty ? [] : rest[0].links.compactMap(\.?.subscription) }

    var links: [SubscriptionLink?] { rest.first?.links ?? [] }

    /// Those behind the first.
    var laterTeardowns: [@Sendable () -> Void] { rest.first?.teardowns ?? [] }

    mutating func add(_ teardown: @escaping @Sendable () -> Void) {
        if firstTeardown == nil { firstTeardown = teardown } else { withRest { $0.teardowns.append(teardown) } }
    }

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
        return linked
    }

    // MARK: Who is told about pauses

    var hasListeners: Bool { firstFlow != nil }

    /// Adds a listener; `notes` are the first one's.
    mutating func add(_ change: @escaping @Sendable (Bool) -> Void, isPaused: Bool, _ notes: inout FlowNotes) {
        if firstFlow == nil {
            firstFlow = change
            notes.hasMissedPause = isPaused
        } else {
            var listener = FlowListener(change: change)
            // Also where the end of a pause is yet to be said: whoever looks at the first's notes takes it for one.
            listener.notes.hasMissedPause = isPaused || notes.lastTold
            withRest { $0.flow.append(listener) }
        }
    }

    /// A source may see this pause and stop, and a resume may come before anybody is told.
    mutating func pauseIsUntold(_ notes: inout FlowNotes) {
        notes.hasMissedPause = true
        guard !rest.isEmpty else { return }
        for index in rest[0].flow.indices { rest[0].flow[index].notes.hasMissedPause = true }
    }

    /// What is to be told now, and to whom.
    mutating func nextCalls(_ isPaused: Bool, _ notes: inout FlowNotes) -> [FlowCall] {
        var calls: [FlowCall] = []
        if let firstFlow { for isPaused in notes.next(isPaused) { calls.append((firstFlow, isPaused)) } }
        guard !rest.isEmpty else { return calls }
        for index in rest[0].flow.indices {
            let change = rest[0].flow[index].change
            for isPaused in rest[0].flow[index].notes.next(isPaused) { calls.append((change, isPaused)) }
        }
        return calls
    }

    /// Takes everything out, so that it is run and released outside the lock.
    mutating func takeAll() -> SubscriptionLedger {
        var last = SubscriptionLedger()
        swap(&last, &self)
        return last
    }
}

/// A listener and what it is to be told.
typealias FlowCall = (change: @Sendable (Bool) -> Void, isPaused: Bool)

/// A subscription that waits while another one does.
struct SubscriptionLink {
    let subscription: SignalSubscription
    /// Whether it is a child, which ends with its parent too.
    let endsTogether: Bool

    init(_ subscription: SignalSubscription, endsTogether: Bool) {
        self.subscription = subscription
        self.endsTogether = endsTogether
    }
}

/// Someone to be told about pauses, behind the first.
struct FlowListener {
    let change: @Sendable (Bool) -> Void
    var notes = FlowNotes()
}
