// SPDX-License-Identifier: MIT
import ReactiveSupport
import Synchronization

extension SignalSubscription {
    /// The lock that is held while a link between two trees of subscriptions is added, so that two threads cannot close a
    /// cycle together. Take it before any ledger's lock.
    private static let linking = ProgramLock(())

    /// Adds a pause without allocating a token. The caller must call ``removePause(_:)`` once, with the same kind.
    @usableFromInline
    package func addPause(_ kind: PauseKind = .bySubscriber) {
        if LiveGraph.isOn { LiveGraph.changePauses(of: self, by: 1, kind) }
        changePauses(PauseCounts(1, kind))
    }

    /// Ends a pause of that kind.
    @usableFromInline
    package func removePause(_ kind: PauseKind = .bySubscriber) {
        changePauses(PauseCounts(-1, kind))
        if LiveGraph.isOn { LiveGraph.changePauses(of: self, by: -1, kind) }
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

    private func changePauses(_ change: PauseCounts) {
        // Most subscriptions have no inputs.
        let notice = ledger.withLock { $0.hasLinks ? nil : count(change, &$0).notice }
        if let notice { report(notice) } else { apply(change) }
    }

    /// Applies a change to this subscription and its inputs, and notifies the listeners.
    ///
    /// A pause reaches all of them before any listener is notified. A resume reaches an input that resumes last only when
    /// the listeners of the others have delivered the values that waited. Otherwise the source could send a new value
    /// before these. Pauses that begin in the meantime are counted too, so the input then stays paused.
    func apply(_ change: PauseCounts) {
        var walk = PauseWalk(self, change)
        repeat {
            let first = walk.counted.count
            walk.countAll()
            walk.reportFlows(from: first)
        } while walk.resumeNext()
        walk.reportFailuresMayPass()
    }

    /// Pauses `other` while this subscription is paused, until this one ends. `passing` says which pauses it passes on.
    /// With `resumesLast`, `other` is resumed after the other inputs.
    @usableFromInline
    package final func passPauses(
        to other: SignalSubscription,
        _ passing: PausePassing,
        resumesLast: Bool = false
    ) {
        let link = SubscriptionLink(subscription: other, isChild: false, passing: passing, resumesLast: resumesLast)
        _ = addLink(link)
    }

    /// Adds a child and passes the current pause on to it. Returns false if this subscription has ended.
    func adopt(_ child: ChildSubscription, _ passing: PausePassing, resumesLast: Bool) -> Bool {
        let link = SubscriptionLink(subscription: child, isChild: true, passing: passing, resumesLast: resumesLast)
        guard let slot = addLink(link) else { return false }
        child.didLink(at: slot)
        return true
    }

    /// Adds a link and passes the current pause on along it. Returns the slot of the link. Returns `nil`, without adding
    /// it, if this subscription has ended or the link would close a cycle.
    private func addLink(_ link: SubscriptionLink) -> Int? {
        var visited: [SignalSubscription] = []
        let attempt = link.isChild ? withSettledLedger { insert(link, &$0) } : insertUnlessCyclic(link, &visited)
        guard case .added(let slot, let change) = attempt else { return nil }
        if change.isNothing { return slot }
        // A pause waits for nothing, so no input that resumes last is left.
        var walk = PauseWalk(link.subscription, change)
        walk.countAll()
        endPassing()
        // Not released earlier, because a release may run user code (law 3).
        withExtendedLifetime(visited) {}
        walk.reportFlows(from: 0)
        walk.reportFailuresMayPass()
        return slot
    }

    private enum LinkAttempt {
        /// The link has this slot. If the input must count a change, the caller passes it on and calls `endPassing()`.
        case added(slot: Int, change: PauseCounts)
        case refused
        /// Another thread is passing a change on.
        case busy
    }

    /// Adds a link between two trees.
    ///
    /// A cycle of links would pass a pause on forever, so such a link is not added. Example: the source of a `share()`d
    /// signal subscribes to the shared signal. That subscription then does not pause the source. A child is new and has
    /// no inputs, so its link cannot close a cycle.
    ///
    /// - Parameter visited: Receives subscriptions that the caller releases when it holds no lock and no mark.
    private func insertUnlessCyclic(_ link: SubscriptionLink, _ visited: inout [SignalSubscription]) -> LinkAttempt {
        while true {
            let (attempt, waiting) = SignalSubscription.linking.withLock { _ -> (LinkAttempt, [SignalSubscription]) in
                let waiting = link.subscription.allThatWait()
                if waiting.contains(where: { $0 === self }) { return (.refused, waiting) }
                return (ledger.withLock { $0.isPassing ? .busy : insert(link, &$0) }, waiting)
            }
            visited += waiting
            guard case .busy = attempt else { return attempt }
            // All threads share that lock, so this thread waits without it.
            withSettledLedger { _ in }
        }
    }

    private func insert(_ link: SubscriptionLink, _ ledger: inout SubscriptionLedger) -> LinkAttempt {
        if isDisposed { return .refused }
        let slot = ledger.add(link)
        let change = link.change(from: .open, to: ledger.pauseState(of: total))
        if !change.isNothing { ledger.beginPassing() }
        return .added(slot: slot, change: change)
    }

    // MARK: Passing on

    /// Calls `body` with the ledger while no thread is passing a change on from this subscription to its inputs. So a
    /// pause is in force in all inputs when `pause()` returns, even if another thread has begun it (law 11), and no count
    /// falls below zero.
    ///
    /// The thread that passes a change on waits at most for subscriptions further upstream, and links form no cycle. So
    /// threads cannot wait for each other (Decision 0010). It calls no user code meanwhile.
    func withSettledLedger<Result: Sendable>(_ body: (inout SubscriptionLedger) -> Result) -> Result {
        var attempts = 0
        while true {
            if let result = ledger.withLock({ $0.isPassing ? nil : body(&$0) }) { return result }
            waitWhilePassing(after: attempts)
            attempts += 1
        }
    }

    /// Waits for the thread that passes a change on from this subscription. It first yields, because a change is usually
    /// passed on before a thread has yielded a hundred times.
    private func waitWhilePassing(after attempts: Int) {
        if attempts < 100 { return YieldPoint.spin() }
        let spot = ParkingSpot()
        let waits = ledger.withLock { ledger in
            if ledger.isPassing { ledger.addWaiter(spot) }
            return ledger.isPassing
        }
        if waits { spot.park() }
    }

    fileprivate func endPassing() {
        for spot in ledger.withLock({ $0.endPassing() }) { spot.unpark() }
    }

    /// The notifications that the listeners of a subscription must receive.
    ///
    /// Both are due if the subscription was resumed and then paused by an operator, before a listener was notified of the
    /// resume. The two changes cancel out for that listener; it receives only `failuresMayPass`.
    struct FlowNotice: OptionSet {
        let rawValue: UInt8

        /// The first pause, or the end of the last one.
        static let flow = FlowNotice(rawValue: 1)
        /// Paused by operators only: a failure may overtake values.
        static let failuresMayPass = FlowNotice(rawValue: 2)
    }

    /// Applies a change to this subscription only, and appends the steps that pass it on, of which the last one is next.
    fileprivate func count(_ change: PauseCounts, appendingTo steps: inout [PauseWalk.Step]) -> FlowNotice {
        withSettledLedger { ledger in
            let (notice, old, new) = count(change, &ledger)
            if old == new || !ledger.hasLinks { return notice }
            let before = steps.count
            steps.append(.endPassing(self))
            // A pause reaches the inputs that resume last first: they are the sources, and few values then wait elsewhere.
            // A resume reaches them after the others.
            for isFirst in [false, true] {
                ledger.forEachLinkBackwards { link in
                    guard link.resumesLast == (new.isPaused == isFirst) else { return }
                    let change = link.change(from: old, to: new)
                    if change.isNothing { return }
                    let waits = link.resumesLast && change.total < 0
                    steps.append(.count(link.subscription, change, waitsForOthers: waits))
                }
            }
            if steps.count == before + 1 { steps.removeLast() } else { ledger.beginPassing() }
            return notice
        }
    }

    /// This subscription and all that are paused with it.
    private func allThatWait() -> [SignalSubscription] {
        var all = [self]
        var seen: Set<ObjectIdentifier> = [ObjectIdentifier(self)]
        var next = 0
        while next < all.count {
            let inputs = all[next].ledger.withLock { $0.links.filter { $0.passing != .nothing } }
            next += 1
            all += inputs.map(\.subscription).filter { seen.insert(ObjectIdentifier($0)).inserted }
        }
        return all
    }

    /// Applies the change to this subscription. Call it with the ledger's lock held.
    private func count(
        _ change: PauseCounts,
        _ ledger: inout SubscriptionLedger
    ) -> (notice: FlowNotice, old: PauseState, new: PauseState) {
        let step = UInt32(truncatingIfNeeded: 2 * change.total)
        let (before, after) = state.wrappingAdd(step, ordering: .acquiringAndReleasing)
        if before & 1 != 0 { return ([], .open, .open) }
        let old = ledger.pauseState(of: Int(before >> 1))
        ledger.countKinds(change)
        let new = ledger.pauseState(of: Int(after >> 1))
        if new.isPaused, !old.isPaused { withFlow { flow in ledger.noteUnreportedPause(&flow) } }
        let notes = FlowState(rawValue: flow.load(ordering: .relaxed))
        guard notes.contains(.hasListener), old != new else { return ([], old, new) }
        if old.isPaused == new.isPaused { return (new == .byOperators ? .failuresMayPass : [], old, new) }
        let isLate = new == .byOperators && notes.contains(.pauseReported)
        return (isLate ? [.flow, .failuresMayPass] : .flow, old, new)
    }

    private func report(_ notice: FlowNotice) {
        if notice.contains(.flow) { reportFlow() }
        if notice.contains(.failuresMayPass) { reportFailuresMayPass() }
    }

    fileprivate func reportFailuresMayPass() {
        let listeners = ledger.withLock { $0.listeners }
        restoring { for listener in listeners { listener.reportFailuresMayPass() } }
    }

    /// Reads and changes the flow state. Call it with the ledger's lock held.
    func withFlow<Result>(_ body: (inout FlowState) -> Result) -> Result {
        var state = FlowState(rawValue: flow.load(ordering: .relaxed))
        defer { flow.store(state.rawValue, ordering: .releasing) }
        return body(&state)
    }

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
                        if flow.contains(.isReporting) { return [] }
                        isReporting = true
                    }
                    let calls = ledger.takeCalls(isPaused, &flow)
                    if calls.isEmpty { flow.remove(.isReporting) } else { flow.insert(.isReporting) }
                    return calls
                }
            }
            if calls.isEmpty { return }
            restoring { for call in calls { call.listener.report(isPaused: call.isPaused) } }
        }
    }
}

/// A change on its way to the inputs of a subscription.
private struct PauseWalk {
    enum Step {
        /// `waitsForOthers` says whether the change must wait for the values that wait in the other inputs of the same
        /// subscription.
        case count(SignalSubscription, PauseCounts, waitsForOthers: Bool)
        /// All inputs of the subscription have counted the change, except those that resume last.
        case endPassing(SignalSubscription)
    }

    /// The visited subscriptions, each with the notification that its listeners must receive.
    var counted: [(subscription: SignalSubscription, notice: SignalSubscription.FlowNotice)] = []
    /// The last one is next.
    private var steps: [Step] = []
    /// Resumes of inputs that resume last. Those of a subscription's inputs precede its own. The last element is next.
    private var later: [Step] = []

    init(_ subscription: SignalSubscription, _ change: PauseCounts) {
        steps.reserveCapacity(8)
        counted.reserveCapacity(4)
        steps.append(.count(subscription, change, waitsForOthers: false))
    }

    /// Applies the change to its subscription and to the inputs, except resumes that must wait.
    ///
    /// It uses a stack instead of recursion, so depth costs no stack. It takes one ledger's lock at a time.
    mutating func countAll() {
        let known = later.count
        while let step = steps.popLast() {
            switch step {
            case .endPassing(let subscription): subscription.endPassing()
            case .count(let subscription, let change, waitsForOthers: true):
                later.append(.count(subscription, change, waitsForOthers: false))
            case .count(let subscription, let change, waitsForOthers: false):
                counted.append((subscription, subscription.count(change, appendingTo: &steps)))
            }
        }
        if later.count > known + 1 { later[known...].reverse() }
    }

    /// Continues with a resume that has waited. Returns false if there is none.
    mutating func resumeNext() -> Bool {
        guard let next = later.popLast() else { return false }
        steps.append(next)
        return true
    }

    /// Notifies the listeners of the subscriptions that have been visited since `first`.
    func reportFlows(from first: Int) {
        for index in first..<counted.count where counted[index].notice.contains(.flow) {
            counted[index].subscription.reportFlow()
        }
    }

    /// Reports that failures may overtake values, after all pauses and resumes. So if two inputs were paused, the values of
    /// one are sent before the failure of the other.
    func reportFailuresMayPass() {
        for (subscription, notice) in counted where notice.contains(.failuresMayPass) {
            subscription.reportFailuresMayPass()
        }
    }
}
