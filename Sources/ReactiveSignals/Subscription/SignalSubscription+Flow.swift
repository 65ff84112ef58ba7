import ReactiveSupport
import Synchronization

extension SignalSubscription {
    /// Held while a change is passed on to what depends on a subscription, and while a link is made: so a pause is in force
    /// everywhere when it returns (law 11), also for whoever takes a second hold meanwhile, and counts never fall below
    /// zero. One for all: pausing is rare, the work is short, and links may join trees. Taken before any ledger's lock.
    private static let passingOn = Lock(())

    /// Takes a hold without an object for it; the caller sees to it that ``letGo()`` follows, once.
    @usableFromInline
    package func hold() { changeHolds(by: 1) }

    /// Gives back a hold.
    @usableFromInline
    package func letGo() { changeHolds(by: -1) }

    private func changeHolds(by change: Int) {
        // Most have nothing that depends on them.
        let listens = ledger.withLock { $0.hasLinks ? nil : count(change, &$0) && isHeard }
        guard let listens else { return passOn(change) }
        if listens { tellFlow() }
    }

    /// Counts a hold that came over a link, or is to be passed on over links; then tells whoever listens.
    func passOn(_ change: Int) {
        let all = SignalSubscription.passingOn.withLock { _ in countEverywhere(change, [self]) }
        for subscription in all.listening { subscription.tellFlow() }
    }

    /// Makes `other` wait while this one does.
    func link(waiting other: SignalSubscription) {
        // All that was looked at is part of the result, so that it is released outside the lock (law 3).
        let (_, all) = SignalSubscription.passingOn.withLock { _ -> ([SignalSubscription], Counted) in
            let waiting = other.allThatWait()
            // Each would wait for the other to go on: who observes a source from inside it does not make it wait.
            if waiting.contains(where: { $0 === self }) { return (waiting, ([], [])) }
            return (waiting, addLink(other, endsTogether: false)?.all ?? ([], []))
        }
        for subscription in all.listening { subscription.tellFlow() }
    }

    /// Adds a child, unless this is over, and passes on the hold that there is.
    func link(_ child: ChildSubscription) -> Bool {
        let linked = SignalSubscription.passingOn.withLock { _ -> (slot: Int, all: Counted)? in
            addLink(child, endsTogether: true)
        }
        guard let linked else { return false }
        child.didLink(at: linked.slot)
        for subscription in linked.all.listening { subscription.tellFlow() }
        return true
    }

    /// To be called under the lock of all.
    private final func addLink(_ other: SignalSubscription, endsTogether: Bool) -> (slot: Int, all: Counted)? {
        let linked = ledger.withLock { ledger -> (slot: Int, isPaused: Bool)? in
            if isDisposed { return nil }
            return (ledger.add(SubscriptionLink(other, endsTogether: endsTogether)), isPaused)
        }
        return linked.map { ($0.slot, $0.isPaused ? countEverywhere(1, [other]) : ([], [])) }
    }

    private typealias Counted = (listening: [SignalSubscription], all: [SignalSubscription])

    /// Counts the change in `first` and in all that waits with it, before any listener hears of it.
    ///
    /// A list rather than recursion, so that depth costs no stack; one ledger's lock at a time.
    private func countEverywhere(_ change: Int, _ first: [SignalSubscription]) -> Counted {
        var (listening, all) = ([SignalSubscription](), first)
        var next = 0
        while next < all.count {
            let subscription = all[next]
            next += 1
            let (dependents, isListening) = subscription.ledger.withLock { ledger -> ([SignalSubscription], Bool) in
                guard subscription.count(change, &ledger) else { return ([], false) }
                return (ledger.linked, subscription.isHeard)
            }
            all += dependents
            if isListening { listening.append(subscription) }
        }
        return (listening, all)
    }

    /// This, and everything that waits while it waits.
    private func allThatWait() -> [SignalSubscription] {
        var all = [self]
        var seen: Set<ObjectIdentifier> = [ObjectIdentifier(self)]
        var next = 0
        while next < all.count {
            let dependents = all[next].ledger.withLock { $0.linked }
            next += 1
            all += dependents.filter { seen.insert(ObjectIdentifier($0)).inserted }
        }
        return all
    }

    /// Counts the change here; true if it was the first hold or the last one.
    private func count(_ change: Int, _ ledger: inout SubscriptionLedger) -> Bool {
        let (old, new) = state.wrappingAdd(UInt32(truncatingIfNeeded: 2 * change), ordering: .acquiringAndReleasing)
        guard old & 1 == 0, (old >= 2) != (new >= 2) else { return false }
        if new >= 2 { withNotes { notes in ledger.pauseIsUntold(&notes) } }
        return true
    }

    /// Its notes, to be called with the ledger's lock held.
    func withNotes<Result>(_ body: (inout FlowNotes) -> Result) -> Result {
        var notes = FlowNotes(flowNotes.load(ordering: .relaxed))
        defer { flowNotes.store(notes.bits, ordering: .releasing) }
        return body(&notes)
    }

    /// Whether anybody hears of pauses, to be called with the ledger's lock held.
    private var isHeard: Bool { FlowNotes(flowNotes.load(ordering: .relaxed)).isHeard }

    /// Tells every listener that has not heard it whether there is a hold; whoever is telling already goes on with it.
    ///
    /// A pause that was over before a listener could hear of it is told too, and its end: the source may have stopped.
    func tellFlow() {
        var isTelling = false
        while true {
            let calls = ledger.withLock { ledger in
                withNotes { notes -> [FlowCall] in
                    if !isTelling {
                        if notes.isTelling { return [] }
                        isTelling = true
                    }
                    let calls = ledger.nextCalls(isPaused, &notes)
                    notes.isTelling = !calls.isEmpty
                    return calls
                }
            }
            if calls.isEmpty { return }
            for call in calls { call.listener.tell(isPaused: call.isPaused) }
        }
    }
}
