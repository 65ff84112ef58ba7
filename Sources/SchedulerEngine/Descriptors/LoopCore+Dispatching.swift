// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSupport

/// Calls the watches of ready descriptors.
extension LoopCore {
    func dispatch(_ state: LoopState) {
        let count = state.batch.count
        for index in 0..<count {
            let (token, reported) = (state.batch[index].token, state.batch[index].readiness)
            // Safe: the table retains the watch until `callee` has returned, because `callee` calls no user code.
            if let watch = unsafe state.table.onlyWatch(of: token) {
                var readiness = reported
                let target = unsafe watch._withUnsafeGuaranteedRef { watch in callee(watch, &readiness, state) }
                call(target, readiness, state)
            } else if token == Token.mainQueue {
                serveMainQueue(state)
            } else if token == Token.hostTimer {
                // The main queue (host) needs this timer only between the loop's own runs. While it is readable, every
                // wait would return at once.
                if thread == .main { state.hostTimer?.disarm() }
            } else {
                for watch in state.table.watches(of: token) where !mustStop {
                    var readiness = reported
                    call(callee(watch, &readiness, state), readiness, state)
                }
            }
            if mustStop { return }
        }
    }

    /// The callee of a watch, or `nobody` if the watch must not be called. Reduces `readiness` to the watch's interest.
    @inline(__always)
    private func callee(
        _ watch: WatchEntry,
        _ readiness: inout Readiness,
        _ state: LoopState
    ) -> WatchEntry.Callee {
        readiness.formIntersection(watch.wanted)
        let isNew = watch.isNew(in: state.turn)
        let isOver = watch.isDisposed
        if readiness.isEmpty || isNew || isOver { return .none }
        return watch.callee
    }

    @inline(__always)
    private func call(_ callee: WatchEntry.Callee, _ readiness: Readiness, _ state: LoopState) {
        switch callee {
        case .none: return
        case .closure(let ready):
            state.callbacks += 1
            ready(readiness)
        case .owner(let owner):
            state.callbacks += 1
            owner.descriptorBecameReady(for: readiness)
        }
    }

    private func serveMainQueue(_ state: LoopState) {
        state.callbacks += 1
        require(
            thread != .host || ThreadIdentity.isMain,
            "loop \(name) serves the main queue, so its host must run it on the main thread"
        )
        CurrentScheduler.runWithout { MainQueue.drain() }
    }
}
