import ReactiveCore
import ReactiveSupport

/// How ready descriptors call their watches.
extension LoopCore {
    func dispatch(_ state: LoopState) {
        let count = state.batch.count
        for index in 0..<count {
            let (token, readiness) = (state.batch[index].token, state.batch[index].readiness)
            // Safe: the table holds the watch until `callee` has returned, and `callee` calls no closure.
            if let watch = unsafe state.table.onlyWatch(of: token) {
                var told = readiness
                let whom = unsafe watch._withUnsafeGuaranteedRef { watch in callee(watch, &told, state) }
                call(whom, told, state)
            } else if token == Token.mainQueue {
                serveMainQueue(state)
            } else if token == Token.hostTimer {
                // The timer was armed for a host before this loop's own run. The host does not wait for it now, and a
                // readable timerfd would end every wait.
                if thread == .main { state.hostTimer?.disarm() }
            } else {
                for watch in state.table.watches(of: token) where !mustStop {
                    var told = readiness
                    call(callee(watch, &told, state), told, state)
                }
            }
            if mustStop { return }
        }
    }

    /// The callee of a watch, or `nobody` if the watch is not called. Reduces `told` to what the watch wants.
    @inline(__always)
    private func callee(
        _ watch: WatchEntry,
        _ told: inout Readiness,
        _ state: LoopState
    ) -> WatchEntry.Callee {
        told.formIntersection(watch.wanted)
        let isNew = watch.isNew(in: state.turn)
        let isOver = watch.isDisposed
        if told.isEmpty || isNew || isOver { return .nobody }
        return watch.callee
    }

    @inline(__always)
    private func call(_ callee: WatchEntry.Callee, _ told: Readiness, _ state: LoopState) {
        switch callee {
        case .nobody: return
        case .closure(let ready):
            state.callbacks += 1
            ready(told)
        case .owner(let owner):
            state.callbacks += 1
            owner.descriptorBecameReady(for: told)
        }
    }

    private func serveMainQueue(_ state: LoopState) {
        state.callbacks += 1
        precondition(
            thread != .host || ThreadIdentity.isMain,
            "loop \(name) serves the main queue: its host has to run on the main thread"
        )
        CurrentScheduler.runWithout { MainQueue.drain() }
    }
}
