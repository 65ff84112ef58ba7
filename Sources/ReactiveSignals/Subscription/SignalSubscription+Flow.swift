import ReactiveSupport
import Synchronization

extension SignalSubscription {
    /// Takes a hold without an object for it; the caller sees to it that ``letGo()`` follows, once.
    @usableFromInline
    package func hold() { changeHolds(by: 1) }

    /// Gives back a hold.
    @usableFromInline
    package func letGo() { changeHolds(by: -1) }

    private func changeHolds(by change: Int) {
        var changed: [SignalSubscription] = []
        changeHolds(by: change, &changed)
        for subscription in changed { subscription.tellFlow() }
    }

    /// Counts the hold, here and in all that depends on this, before any listener hears of it: a pause is in force
    /// everywhere when it returns (law 11). Locks are taken from the observer's side towards the sources, never back.
    func changeHolds(by change: Int, _ changed: inout [SignalSubscription]) {
        ledger.withLock { ledger in
            let (old, new) = state.wrappingAdd(2 * change, ordering: .acquiringAndReleasing)
            guard !ledger.isOver, (old >= 2) != (new >= 2) else { return }
            if new >= 2 {
                // A source may see this pause and stop, and a resume may come before anybody is told.
                for index in ledger.flow.indices { ledger.flow[index].hasMissedPause = true }
            }
            if !ledger.flow.isEmpty { changed.append(self) }
            for case let link? in ledger.links { link.subscription.changeHolds(by: change, &changed) }
        }
    }

    /// Tells every listener that has not heard it whether there is a hold; whoever is telling already goes on with it.
    ///
    /// A pause that was over before a listener could hear of it is told too, and its end: the source may have stopped.
    func tellFlow() {
        var isTelling = false
        while true {
            let calls = ledger.withLock { ledger -> [(change: @Sendable (Bool) -> Void, isPaused: Bool)] in
                if !isTelling {
                    if ledger.isTellingFlow { return [] }
                    ledger.isTellingFlow = true
                    isTelling = true
                }
                var calls: [(change: @Sendable (Bool) -> Void, isPaused: Bool)] = []
                for index in ledger.flow.indices {
                    let change = ledger.flow[index].change
                    for isPaused in ledger.flow[index].next(isPaused) { calls.append((change, isPaused)) }
                }
                ledger.isTellingFlow = !calls.isEmpty
                return calls
            }
            if calls.isEmpty { return }
            for call in calls { call.change(call.isPaused) }
        }
    }
}
