// SPDX-License-Identifier: MIT
import ReactiveSupport
import Synchronization

extension SignalSubscription {
    /// The lock that is held while a change is passed on to dependent subscriptions, and while a link is added. So a
    /// pause has reached every dependent when `pause()` returns (law 11), even if several threads pause at the same
    /// time. No count falls below zero. The program has one such lock, because pausing is rare and short, and because a
    /// link may connect two trees. Take it before any ledger's lock.
    private static let passingOn = ProgramLock(())

    /// Adds a pause without allocating a token. The caller must call ``removePause(_:)`` once, with the same kind.
    @usableFromInline
    package func addPause(_ kind: PauseKind = .bySubscriber) {
        if LiveGraph.isOn { LiveGraph.paused(self, kind) }
        changePauses(PauseChange(1, kind))
    }

    /// Ends a pause of that kind.
    @usableFromInline
    package func removePause(_ kind: PauseKind = .bySubscriber) {
        changePauses(PauseChange(-1, kind))
        if LiveGraph.isOn { LiveGraph.resumed(self, kind) }
    }

    /// Whether only operators pause the subscription, so that a failure overtakes the values that wait (law 9). False
    /// after disposal.
    @usableFromInline
    package var letsFailuresPass: Bool {
        // The counts of a disposed subscription are meaningless.
        ledger.withLock { ledger in !isDisposed && ledger.pauseState(of: total) == .byOperators }
    }

    /// The number of pauses of all kinds.
    private var total: Int { Int(state.load(ordering: .acquiring) >> 1) }

    private func changePauses(_ change: PauseChange) {
        // Most subscriptions have no dependents.
        let notice = ledger.withLock { $0.hasLinks ? nil : count(change, &$0).notice }
        if let notice { report(notice) } else { passOn(change) }
    }

    /// Applies a change to this subscription and its dependents, and notifies the listeners.
    ///
    /// A pause reaches all of them before any listener is notified. A resume reaches an upstream dependent only when
    /// the listeners of the others have delivered the values that waited. Otherwise the source could send a new value
    /// before these. Pauses that begin in the meantime are counted too, so the dependent then stays paused.
    func passOn(_ change: PauseChange) {
        // The last one is next.
        var later = [Pending(self, change)]
        var all = Counted()
        while let next = later.popLast() {
            var upstream: [Pending] = []
            let counted = SignalSubscription.passingOn.withLock { _ in countAll(next, &upstream) }
            reportFlows(counted)
            all += counted
            later += upstream.reversed()
        }
        reportFailuresMayPass(all)
    }

    /// Pauses `other` while this subscription is paused, until this one ends. `passing` says which pauses it passes on.
    /// With `resumesLast`, `other` is resumed after the other dependents.
    @usableFromInline
    package final func passPauses(
        to other: SignalSubscription,
        _ passing: PausePassing,
        resumesLast: Bool = false
    ) {
        // Returned from the closure, so the visited subscriptions are released outside the lock (law 3).
        let (_, all) = SignalSubscription.passingOn.withLock { _ -> ([SignalSubscription], Counted) in
            let waiting = other.allThatWait()
            // A cycle of links would pass a pause on forever, so such a link is not added. Example: the source of a
            // `share()`d signal subscribes to the shared signal. That subscription then does not pause the source.
            if waiting.contains(where: { $0 === self }) { return (waiting, []) }
            let link = SubscriptionLink(other, endsTogether: false, passing, resumesLast: resumesLast)
            return (waiting, addLink(link)?.all ?? [])
        }
        reportFlows(all)
        reportFailuresMayPass(all)
    }

    /// Adds a child and passes the current pause on to it. Returns false if this subscription has ended.
    func adopt(_ child: ChildSubscription, _ passing: PausePassing, resumesLast: Bool = false) -> Bool {
        let linked = SignalSubscription.passingOn.withLock { _ -> (slot: Int, all: Counted)? in
            addLink(SubscriptionLink(child, endsTogether: true, passing, resumesLast: resumesLast))
        }
        guard let linked else { return false }
        child.didLink(at: linked.slot)
        reportFlows(linked.all)
        reportFailuresMayPass(linked.all)
        return true
    }

    /// Adds a link, and returns `nil` if this subscription has ended. Call it with `passingOn` held.
    private final func addLink(_ link: SubscriptionLink) -> (slot: Int, all: Counted)? {
        let linked = ledger.withLock { ledger -> (slot: Int, pauses: PauseState)? in
            if isDisposed { return nil }
            return (ledger.add(link), ledger.pauseState(of: total))
        }
        return linked.map { slot, pauses in
            let change = PauseChange(from: .open, to: pauses, link.passing)
            // A pause waits for nothing, so this stays empty.
            var upstream: [Pending] = []
            return (slot, change.isNothing ? [] : countAll(Pending(link.subscription, change), &upstream))
        }
    }

    /// The visited subscriptions, each with the notification that its listeners must receive.
    private typealias Counted = [(subscription: SignalSubscription, notice: FlowNotice)]

    /// A subscription and the change to apply to it.
    private struct Pending {
        let subscription: SignalSubscription
        let change: PauseChange
        /// Whether the change must wait for the values that wait in the other dependents of the same subscription.
        var waitsForOthers = false

        init(_ subscription: SignalSubscription, _ change: PauseChange) {
            (self.subscription, self.change) = (subscription, change)
        }

        init(_ link: SubscriptionLink, _ old: PauseState, _ new: PauseState) {
            self.init(link.subscription, PauseChange(from: old, to: new, link.passing))
            waitsForOthers = link.resumesLast && change.total < 0
        }
    }

    /// A notification that the listeners of a subscription must receive.
    enum FlowNotice {
        case none
        /// The first pause, or the end of the last one.
        case flow
        /// Still paused, but now by operators only: a failure may overtake values.
        case failuresMayPass
        /// The subscription was resumed and then paused by an operator, before a listener was notified of the resume.
        /// The two changes cancel out for that listener; it receives only `failuresMayPass`.
        case flowAndFailures

        var isFlow: Bool { self == .flow || self == .flowAndFailures }
        var letsFailuresPass: Bool { self == .failuresMayPass || self == .flowAndFailures }
    }

    /// Applies a change to its subscription and to the dependents, and returns the visited subscriptions. Resumes of
    /// upstream dependents are added to `upstream` instead, each one behind those below it. Call it with `passingOn`
    /// held.
    ///
    /// It uses a stack instead of recursion, so depth costs no stack. It takes one ledger's lock at a time.
    private func countAll(_ first: Pending, _ upstream: inout [Pending]) -> Counted {
        var all = Counted()
        // The last one is next.
        var pending = [Pending(first.subscription, first.change)]
        while let next = pending.popLast() {
            if next.waitsForOthers {
                upstream.append(next)
                continue
            }
            let (notice, old, new, links) = next.subscription.ledger.withLock {
                ledger -> (FlowNotice, PauseState, PauseState, [SubscriptionLink]) in
                let (notice, old, new) = next.subscription.count(next.change, &ledger)
                return (notice, old, new, old == new ? [] : ledger.linksInOrder)
            }
            all.append((next.subscription, notice))
            // A pause stops the source first, so that few values wait elsewhere. What is appended last is next.
            let stopsSourceFirst = new.isPaused
            for resumesLast in [!stopsSourceFirst, stopsSourceFirst] {
                for link in links.reversed() where link.resumesLast == resumesLast {
                    let dependent = Pending(link, old, new)
                    if !dependent.change.isNothing { pending.append(dependent) }
                }
            }
        }
        return all
    }

    /// This subscription and all that are paused with it.
    private func allThatWait() -> [SignalSubscription] {
        var all = [self]
        var seen: Set<ObjectIdentifier> = [ObjectIdentifier(self)]
        var next = 0
        while next < all.count {
            let dependents = all[next].ledger.withLock { $0.links.filter { $0.passing != .nothing } }
            next += 1
            all += dependents.map(\.subscription).filter { seen.insert(ObjectIdentifier($0)).inserted }
        }
        return all
    }

    /// Applies the change to this subscription. Call it with the ledger's lock held.
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
        if new.isPaused, !old.isPaused { withFlow { flow in ledger.noteUnreportedPause(&flow) } }
        guard hasListener, old != new else { return (.none, old, new) }
        if old.isPaused == new.isPaused { return (new == .byOperators ? .failuresMayPass : .none, old, new) }
        let isLate = new == .byOperators && withFlow { flow in ledger.hasReportedPause(flow) }
        return (isLate ? .flowAndFailures : .flow, old, new)
    }

    private func reportFlows(_ all: Counted) {
        for (subscription, notice) in all where notice.isFlow { subscription.reportFlow() }
    }

    /// Reports that failures may overtake values, after all pauses and resumes. So if two inputs were paused, the values of
    /// one are sent before the failure of the other.
    private func reportFailuresMayPass(_ all: Counted) {
        for (subscription, notice) in all where notice.letsFailuresPass { subscription.reportFailuresMayPass() }
    }

    private func report(_ notice: FlowNotice) {
        if notice.isFlow { reportFlow() }
        if notice.letsFailuresPass { reportFailuresMayPass() }
    }

    private func reportFailuresMayPass() {
        let listeners = ledger.withLock { $0.listeners }
        restoring { for listener in listeners { listener.reportFailuresMayPass() } }
    }

    /// Reads and changes the flow state. Call it with the ledger's lock held.
    func withFlow<Result>(_ body: (inout FlowState) -> Result) -> Result {
        var state = FlowState(flow.load(ordering: .relaxed))
        defer { flow.store(state.bits, ordering: .releasing) }
        return body(&state)
    }

    /// Whether any listener receives pauses. Call it with the ledger's lock held.
    private var hasListener: Bool { FlowState(flow.load(ordering: .relaxed)).hasListener }

    /// Notifies each listener whose last notification differs from the current state. If another call is already
    /// notifying the listeners, that call reports this change too.
    ///
    /// If a pause has ended before a listener was notified of it, the listener still receives the pause and the resume,
    /// because the source may have stopped.
    func reportFlow() {
        var isReporting = false
        while true {
            let calls = ledger.withLock { ledger in
                withFlow { flow -> [FlowCall] in
                    if !isReporting {
                        if flow.isReporting { return [] }
                        isReporting = true
                    }
                    let calls = ledger.takeCalls(isPaused, &flow)
                    flow.isReporting = !calls.isEmpty
                    return calls
                }
            }
            if calls.isEmpty { return }
            restoring { for call in calls { call.listener.report(isPaused: call.isPaused) } }
        }
    }
}
