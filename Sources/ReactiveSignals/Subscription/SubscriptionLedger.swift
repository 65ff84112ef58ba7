/// What a subscription has to remember, behind its lock.
struct SubscriptionLedger {
    /// Whether it has been closed; nothing is added after that.
    var isOver = false
    /// The first one needs no array: most subscriptions have one.
    var firstTeardown: (@Sendable () -> Void)?
    var teardowns: [@Sendable () -> Void] = []
    var flow: [FlowListener] = []
    /// Whether somebody is calling the listeners, and will look again when they have returned.
    var isTellingFlow = false
    /// The slots of those that have ended are used again, so the list is as long as there were children at one time.
    var links: [SubscriptionLink?] = []
    var freeSlots: [Int] = []
    /// Weak, or a subscription that is neither disposed nor ended could never be freed.
    weak var parent: SignalSubscription?
    var slot = 0

    var hasLinks: Bool { links.count > freeSlots.count }

    mutating func add(_ teardown: @escaping @Sendable () -> Void) {
        if firstTeardown == nil { firstTeardown = teardown } else { teardowns.append(teardown) }
    }

    mutating func add(_ link: SubscriptionLink) -> Int {
        if let slot = freeSlots.popLast() {
            links[slot] = link
            return slot
        }
        links.append(link)
        return links.count - 1
    }

    /// Marks it as over and takes everything out, so that it is run and released outside the lock.
    mutating func close() -> SubscriptionLedger {
        var last = SubscriptionLedger()
        swap(&last, &self)
        isOver = true
        return last
    }
}

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

/// Someone to be told about pauses, and what was said last.
struct FlowListener {
    let change: @Sendable (Bool) -> Void
    var lastTold = false
    /// Whether there was a pause since: it may be over, but not without effect.
    var hasMissedPause: Bool

    init(_ change: @escaping @Sendable (Bool) -> Void, isPaused: Bool) {
        self.change = change
        hasMissedPause = isPaused
    }

    /// What it is to be told now: never the same twice running, and no pause left out after which it has to go on.
    mutating func next(_ isPaused: Bool) -> [Bool] {
        defer { hasMissedPause = false }
        if lastTold != isPaused {
            lastTold = isPaused
            return [isPaused]
        }
        return hasMissedPause && !isPaused ? [true, false] : []
    }
}
