// SPDX-License-Identifier: MIT
import CReactive
import ReactiveCore
import ReactiveSupport

extension LoopCore {
    /// Pauses inside a race window, so that another thread can enter it.
    func holdOpen(microseconds: Int64) { reactive_pause_ns(microseconds * 1000) }

    /// Takes the jobs posted since the turn began. Returns whether there is work to run.
    func takesMore(_ state: LoopState) -> Bool {
        if state.hasWork { return true }
        takeFromInbox(state)
        return state.hasWork
    }

    /// Reverses the order of the jobs that the turn is about to run.
    func reverseWork(_ state: LoopState) {
        for piece in state.work.removeAll().reversed() { state.work.append(piece) }
    }

    /// Takes the work of all due timers first, and runs it afterwards.
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

    /// Inserts a one-shot or repeating timer as if the turn's beginning were now.
    func insertFromTurn(
        _ begin: LoopInstant,
        at deadline: LoopInstant,
        repeating repetition: Repetition?,
        options: TimerOptions,
        _ work: @escaping @Sendable () -> Void
    ) -> any Disposable {
        let late = clock.now - begin
        let early = deadline.advanced(by: .zero - late)
        let entry = TimerEntry.make(self, at: early, repeating: repetition, options: options, work)
        state.value.insert(entry)
        return entry
    }
}

extension LoopState {
    func dropAllWork() {
        _ = work.removeAll()
    }
}

extension Inbox {
    /// Appends a job, but inserts a scheduled job before all others.
    mutating func overtake(_ piece: Work) -> Bool {
        var all = work.removeAll()
        if case .scheduled = piece { all.insert(piece, at: 0) } else { all.append(piece) }
        for piece in all { work.append(piece) }
        return true
    }
}
