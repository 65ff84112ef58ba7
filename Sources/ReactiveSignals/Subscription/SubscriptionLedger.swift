// SPDX-License-Identifier: MIT
import ReactiveSupport

/// The part of a subscription's state that its lock protects.
///
/// Each connection has a subscription, so the size matters. The ledger stores one listener inline, and nearly all
/// subscriptions have no other. Everything else is in `rest`, which most subscriptions never allocate. No field is
/// weak: each termination moves the ledger, and a weak field would make that move slow.
struct SubscriptionLedger {
    /// The first listener. Most subscriptions have no other. If it receives pauses, the notes about it are in the
    /// subscription's ``FlowState``.
    private var first: SubscriptionListener?
    /// Holds zero or one `Rest`. An array is used as a heap box, because most subscriptions need none.
    private var rest: [Rest] = []

    private struct Rest {
        /// In the order in which they were added.
        var listeners: [LaterListener] = []
        /// Slots of ended children are reused, so the array is as long as the largest number of links at one time.
        var links: [SubscriptionLink?] = []
        var freeSlots: [Int] = []
        /// Whether a slot has been reused, so that the slots may not be in the order in which the links were added.
        var isReordered = false
        /// The number of links that have been added.
        var lastNumber = 0
        var pauses = PauseCounts()
        /// Whether a thread is passing a change of the pauses on to the inputs.
        var isPassing = false
        /// The threads that wait for that thread.
        var passWaiters: [ParkingSpot] = []
        /// Closures to call when the subscription is torn down.
        var waiting: [@Sendable () -> Void] = []
    }

    private struct LaterListener {
        let listener: SubscriptionListener
        /// What it knows of the pauses, if it receives pauses.
        var notes: FlowState
    }

    private mutating func withRest<Result>(_ body: (inout Rest) -> Result) -> Result {
        if rest.isEmpty { rest.append(Rest()) }
        return body(&rest[0])
    }

    // MARK: Inputs

    var hasLinks: Bool { !rest.isEmpty && rest[0].links.count > rest[0].freeSlots.count }

    /// The links to all inputs, and free slots.
    var slots: [SubscriptionLink?] { rest.isEmpty ? [] : rest[0].links }

    /// The links to all inputs.
    var links: [SubscriptionLink] { slots.compactMap { $0 } }

    /// Calls `body` with the links to all inputs. The one that was added last is the first.
    func forEachLinkBackwards(_ body: (SubscriptionLink) -> Void) {
        guard !rest.isEmpty else { return }
        if rest[0].isReordered { return links.sorted { $0.number > $1.number }.forEach(body) }
        for index in rest[0].links.indices.reversed() { if let link = rest[0].links[index] { body(link) } }
    }

    mutating func add(_ link: SubscriptionLink) -> Int {
        var link = link
        return withRest { rest in
            rest.lastNumber += 1
            link.number = rest.lastNumber
            if let slot = rest.freeSlots.popLast() {
                rest.links[slot] = link
                rest.isReordered = true
                return slot
            }
            rest.links.append(link)
            return rest.links.count - 1
        }
    }

    /// Frees a slot if `child` still occupies it.
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

    /// Returns the state, given the number of pauses of all kinds.
    func pauseState(of total: Int) -> PauseState {
        rest.isEmpty ? total == 0 ? .open : .bySubscriber : rest[0].pauses.state(of: total)
    }

    /// Applies the part of the change that the total does not contain.
    mutating func countKinds(_ change: PauseCounts) {
        if !change.isPlain { withRest { $0.pauses.apply(change) } }
    }

    /// Whether a thread is passing a change of the pauses on to the inputs.
    var isPassing: Bool { !rest.isEmpty && rest[0].isPassing }

    /// Call it if there are links. Then call `endPassing()`.
    mutating func beginPassing() {
        assert(hasLinks && !rest[0].isPassing, "one thread at a time passes a change on, to at least one input")
        rest[0].isPassing = true
    }

    /// Returns the threads to unpark, without the lock.
    mutating func endPassing() -> [ParkingSpot] {
        assert(rest[0].isPassing, "no change is being passed on")
        rest[0].isPassing = false
        return rest[0].passWaiters.takeAll()
    }

    /// Adds a thread that waits for `endPassing()`.
    mutating func addWaiter(_ spot: ParkingSpot) {
        assert(rest[0].isPassing, "there is nothing to wait for")
        rest[0].passWaiters.append(spot)
    }

    // MARK: Listeners

    /// Adds a listener. `flow` is the flow state of the subscription.
    mutating func add(_ listener: SubscriptionListener, isPaused: Bool, _ flow: inout FlowState) {
        var notes = FlowState()
        if listener.receivesPauses {
            // If the end of a pause has not been reported yet, the new listener has missed that pause too. A source that
            // reads the first listener's notes still sees it.
            if isPaused || flow.contains(.pauseReported) { notes = .pauseMissed }
            if !flow.contains(.hasListener) { flow = notes.union(.hasListener) }
        }
        if first == nil {
            first = listener
        } else {
            withRest { $0.listeners.append(LaterListener(listener: listener, notes: notes)) }
        }
    }

    /// Records that a pause has begun. A source may see it and stop, and it may end before any listener is notified.
    mutating func noteUnreportedPause(_ flow: inout FlowState) {
        flow.insert(.pauseMissed)
        guard !rest.isEmpty else { return }
        for index in rest[0].listeners.indices { rest[0].listeners[index].notes.insert(.pauseMissed) }
    }

    /// Records the current state as reported to all listeners. Returns the calls that report it, which the caller makes
    /// without the lock.
    mutating func takeCalls(_ isPaused: Bool, _ flow: inout FlowState) -> [FlowCall] {
        guard let first else { return [] }
        let due = flow.takeNext(isPaused)
        var calls: [FlowCall] = first.receivesPauses ? due.map { (first, $0) } : []
        guard !rest.isEmpty else { return calls }
        for index in rest[0].listeners.indices where rest[0].listeners[index].listener.receivesPauses {
            let listener = rest[0].listeners[index].listener
            for isPaused in rest[0].listeners[index].notes.takeNext(isPaused) { calls.append((listener, isPaused)) }
        }
        return calls
    }

    /// All listeners, in the order in which they were added.
    var listeners: [SubscriptionListener] {
        (first.map { [$0] } ?? []) + (rest.first?.listeners.map(\.listener) ?? [])
    }

    // MARK: Termination

    /// Removes and returns everything, to be run and released outside the lock. Closures that wait for this to be done
    /// stay.
    mutating func takeAll() -> SubscriptionLedger {
        var last = SubscriptionLedger()
        swap(&last, &self)
        if !last.rest.isEmpty, !last.rest[0].waiting.isEmpty {
            let waiting = last.rest[0].waiting
            withRest { $0.waiting = waiting }
        }
        return last
    }

    /// Notifies all listeners of the end. Call it without the lock.
    func reportEnd() {
        first?.reportEnd()
        guard let rest = rest.first else { return }
        for later in rest.listeners { later.listener.reportEnd() }
    }

    mutating func addWaiting(_ body: @escaping @Sendable () -> Void) { withRest { $0.waiting.append(body) } }

    mutating func takeWaiting() -> [@Sendable () -> Void] {
        defer { rest = [] }
        return rest.first?.waiting ?? []
    }
}

/// A listener and the notification that is due.
typealias FlowCall = (listener: SubscriptionListener, isPaused: Bool)

/// A link to an input: a subscription to a source, to which another subscription passes its pauses.
struct SubscriptionLink {
    let subscription: SignalSubscription
    /// Whether it is a child, which also ends with its parent.
    let isChild: Bool
    /// The pauses that are passed to it.
    let passing: PausePassing
    /// Whether it is resumed after the other inputs, when these have delivered the values that waited in them.
    let resumesLast: Bool
    /// Its position in the order in which the links were added. Slots are reused, so they do not keep that order.
    fileprivate(set) var number = 0

    /// The change that the input counts when the state of the downstream subscription changes from `old` to `new`.
    func change(from old: PauseState, to new: PauseState) -> PauseCounts { PauseCounts(from: old, to: new, passing) }
}
