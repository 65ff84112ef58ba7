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
            if !ledger.flow.isEmpty { changed.append(self) }
            for case let link? in ledger.links { link.subscription.changeHolds(by: change, &changed) }
        }
    }

    /// Tells every listener that has not heard it whether there is a hold; whoever is telling already goes on with it.
    func tellFlow() {
        var isTelling = false
        while true {
            let round = ledger.withLock { ledger -> (listeners: [@Sendable (Bool) -> Void], isPaused: Bool)? in
                if !isTelling {
                    if ledger.isTellingFlow { return nil }
                    ledger.isTellingFlow = true
                    isTelling = true
                }
                let isPaused = isPaused
                var listeners: [@Sendable (Bool) -> Void] = []
                for index in ledger.flow.indices where ledger.flow[index].lastTold != isPaused {
                    ledger.flow[index].lastTold = isPaused
                    listeners.append(ledger.flow[index].change)
                }
                if listeners.isEmpty {
                    ledger.isTellingFlow = false
                    return nil
                }
                return (listeners, isPaused)
            }
            guard let round else { return }
            for change in round.listeners { change(round.isPaused) }
        }
    }
}
