import ReactiveCore
import ReactiveSupport

/// What faults need, and no sound loop does. Nothing calls it in a build without them.
extension LoopCore {
    /// Takes what has been posted since the turn began; whether there was any.
    func takesMore(_ state: LoopState) -> Bool {
        if state.hasWork { return true }
        takeFromInbox(state)
        return state.hasWork
    }

    /// Takes the work of all timers that are due, then runs it.
    func fireTaken(_ state: LoopState, _ now: LoopInstant) {
        var taken: [@Sendable () -> Void] = []
        while let (entry, _) = state.timers.popFirst(dueAt: now) {
            if entry.isRepeating {
                fire(entry, state)
            } else if let work = entry.takeWork() {
                state.recount(entry)
                taken.append(work)
            }
        }
        for work in taken { work() }
    }
}

extension LoopState {
    func dropAllWork() {
        _ = work.removeAll()
    }
}
