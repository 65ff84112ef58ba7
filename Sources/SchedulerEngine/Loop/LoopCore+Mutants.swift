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
        while let timer = state.timers.popFirstDue(at: now) {
            if timer.look({ $0.isRepeating }) {
                fire(timer, state)
                continue
            }
            let entry = timer.take()
            guard let work = entry.takeWork() else { continue }
            state.recount(entry)
            taken.append(work)
        }
        for work in taken { work() }
    }
}

extension LoopState {
    func dropAllWork() {
        _ = work.removeAll()
    }
}
