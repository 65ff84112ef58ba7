import ReactiveSupport
import Synchronization

extension SignalSubscription {
    /// Held while a change is passed on to what depends on a subscription, and while a link is made: so a pause is in force
    /// everywhere when it returns (law 11), also for whoever takes a second hold meanwhile, and counts never fall below
    /// zero. One for all: pausing is rare, the work is short, and links may join trees. Taken before any ledger's lock.
    private static let passingOn = ProgramLock(())

    /// Takes a hold without an object for it; the caller sees to it that ``removePause(_:)`` follows, once, with the same kind.
    @usableFromInline
    package func addPause(_ kind: PauseKind = .subscriber) { changePauses(PauseChange(1, kind)) }

    /// Gives back a hold.
    @usableFromInline
    package func removePause(_ kind: PauseKind = .subscriber) { changePauses(PauseChange(-1, kind)) }

    /// Whether it is paused, but by operators only: a failure overtakes the values that wait for these (law 9).
    @usableFromInline
    package var letsFailuresPass: Bool {
        // The count is read first: that of a disposed subscription says nothing.
        ledger.withLock { ledger in !isDisposed && ledger.pauseState(of: total) == .byOperators }
    }

    /// How many holds of all kinds are out.
    private var total: Int { Int(state.load(ordering: .acquiring) >> 1) }

    private func changePauses(_ change: PauseChange) {
        // Most have nothing that depends on them.
        let notice = ledger.withLock { $0.hasLinks ? nil : count(change, &$0).notice }
        if let notice { report(notice) } else { passOn(change) }
    }

    /// Counts a change that came over a link, or is to be passed on over links; then tells whoever listens.
    func passOn(_ change: PauseChange) {
        let all = SignalSubscription.passingOn.withLock { _ in countEverywhere([(self, change)]) }
        reportAll(all)
    }

    /// Makes `other` wait while this one does, as `passing` says.
    func link(waiting other: SignalSubscription, _ passing: PausePassing) {
        // All that was looked at is part of the result, so that it is released outside the lock (law 3).
        let (_, all) = SignalSubscription.passingOn.withLock { _ -> ([SignalSubscription], Counted) in
            let waiting = other.allThatWait()
            // Each would wait for the other to go on: who observes a source from inside it does not make it wait.
            if waiting.contains(where: { $0 === self }) { return (waiting, []) }
            return (waiting, addLink(SubscriptionLink(other, endsTogether: false, passing))?.all ?? [])
        }
        reportAll(all)
    }

    /// Adds a child, unless this is over, and passes on the hold that there is.
    func link(_ child: ChildSubscription, _ passing: PausePassing) -> Bool {
        let linked = SignalSubscription.passingOn.withLock { _ -> (slot: Int, all: Counted)? in
            addLink(SubscriptionLink(child, endsTogether: true, passing))
        }
        guard let linked else { return false }
        child.didLink(at: linked.slot)
        reportAll(linked.all)
        return true
    }

    /// To be called under the lock of all.
    private final func addLink(_ link: SubscriptionLink) -> (slot: Int, all: Counted)? {
        let linked = ledger.withLock { ledger -> (slot: Int, pauses: PauseState)? in
            if isDisposed { return nil }
            return (ledger.add(link), ledger.pauseState(of: total))
        }
        return linked.map { slot, pauses in
            let change = PauseChange(from: .open, to: pauses, link.passing)
            return (slot, change.isNothing ? [] : countEverywhere([(link.subscription, change)]))
        }
    }

    /// Every subscription that was looked at, and what its listeners are to be told.
    private typealias Counted = [(subscription: SignalSubscription, notice: FlowNotice)]

    /// A subscription whose pauses are to change.
    private typealias Pending = (subscription: SignalSubscription, change: PauseChange)

    /// What the listeners of a subscription are to be told.
    enum FlowNotice {
        case none
        /// The first hold, or the last one.
        case flow
        /// The last hold of a subscriber, where operators go on pausing.
        case eased
        /// The first hold, an operator's, before a listener has heard of the end of the pause before it. It hears of neither, and a
        /// failure may pass.
        case flowAndEased

        var isFlow: Bool { self == .flow || self == .flowAndEased }
        var isEasing: Bool { self == .eased || self == .flowAndEased }
    }

    /// Counts the changes in all that they reach, before any listener hears of them.
    ///
    /// A list rather than recursion, so that depth costs no stack; one ledger's lock at a time.
    private func countEverywhere(_ first: [Pending]) -> Counted {
        var (pending, all) = (first, Counted())
        var next = 0
        while next < pending.count {
            let (subscription, change) = pending[next]
            next += 1
            let (notice, dependents) = subscription.ledger.withLock { ledger -> (FlowNotice, [Pending]) in
                let (notice, old, new) = subscription.count(change, &ledger)
                if old == new { return (notice, []) }
                return (notice, ledger.links.map { ($0.subscription, PauseChange(from: old, to: new, $0.passing)) })
            }
            for dependent in dependents where !dependent.change.isNothing { pending.append(dependent) }
            all.append((subscription, notice))
        }
        return all
    }

    /// This, and everything that waits while it waits.
    private func allThatWait() -> [SignalSubscription] {
        var all = [self]
        var seen: Set<ObjectIdentifier> = [ObjectIdentifier(self)]
        var next = 0
        while next < all.count {
            let dependents = all[next].ledger.withLock { $0.links }
            next += 1
            all += dependents.map(\.subscription).filter { seen.insert(ObjectIdentifier($0)).inserted }
        }
        return all
    }

    /// Counts the change here, with the ledger's lock held.
    private func count(
        _ change: PauseChange,
        _ ledger: inout SubscriptionLedger
    ) -> (notice: FlowNotice, old: PauseState, new: PauseState) {
        let step = UInt32(truncatingIfNeeded: 2 * change.total)
        let (before, after) = state.wrappingAdd(step, ordering: .acquiringAndReleasing)
        if before & 1 != 0 { return (.none, .open, .open) }
        let old = ledger.pauseState(of: Int(before >> 1))
        ledger.count(change)
        let new = ledger.pauseState(of: Int(after >> 1))
        if new.isPaused, !old.isPaused { withNotes { notes in ledger.pauseIsUntold(&notes) } }
        guard hasListener, old != new else { return (.none, old, new) }
        if old.isPaused == new.isPaused { return (new == .byOperators ? .eased : .none, old, new) }
        let isLate = new == .byOperators && withNotes { notes in ledger.hasToldPause(notes) }
        return (isLate ? .flowAndEased : .flow, old, new)
    }

    /// Sources go on before failures pass, so that an input's values come before another one's failure where both were held.
    private func reportAll(_ all: Counted) {
        for (subscription, notice) in all where notice.isFlow { subscription.reportFlow() }
        for (subscription, notice) in all where notice.isEasing { subscription.reportEasing() }
    }

    private func report(_ notice: FlowNotice) {
        if notice.isFlow { reportFlow() }
        if notice.isEasing { reportEasing() }
    }

    private func reportEasing() {
        let listeners = ledger.withLock { $0.listeners }
        for listener in listeners { listener.reportEasing() }
    }

    /// Its notes, to be called with the ledger's lock held.
    func withNotes<Result>(_ body: (inout FlowNotes) -> Result) -> Result {
        var notes = FlowNotes(flowNotes.load(ordering: .relaxed))
        defer { flowNotes.store(notes.bits, ordering: .releasing) }
        return body(&notes)
    }

    /// Whether anybody hears of pauses, to be called with the ledger's lock held.
    private var hasListener: Bool { FlowNotes(flowNotes.load(ordering: .relaxed)).hasListener }

    /// Tells every listener that has not heard it whether there is a hold; whoever is telling already goes on with it.
    ///
    /// A pause that was over before a listener could hear of it is told too, and its end: the source may have stopped.
    func reportFlow() {
        var isReporting = false
        while true {
            let calls = ledger.withLock { ledger in
                withNotes { notes -> [FlowCall] in
                    if !isReporting {
                        if notes.isReporting { return [] }
                        isReporting = true
                    }
                    let calls = ledger.nextCalls(isPaused, &notes)
                    notes.isReporting = !calls.isEmpty
                    return calls
                }
            }
            if calls.isEmpty { return }
            for call in calls { call.listener.report(isPaused: call.isPaused) }
        }
    }
}
