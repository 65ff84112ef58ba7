public import ReactiveCore
public import ReactiveSignals
public import ReactiveSupport

extension CommandCore {
    /// Tells what there is to tell, unless somebody is doing so: that one goes on then.
    @inlinable
    func tell() {
        guard claim.announce() else { return }
        switch delivery.kind {
        case .direct: drain()
        case .on(let scheduler): if scheduler.isCurrent { drain() } else { scheduler.execute { self.drain() } }
        case .onNextTurn(let scheduler): scheduler.execute { self.drainOnce(scheduler) }
        }
    }

    /// Writes a value down for those who observe it.
    @inlinable
    func note(_ value: Output, of execution: Execution<Output, Failure>) {
        guard state.withLock({ $0.observers > 0 }) else { return }
        execution.intake?.arrived()
        let isNoted = state.withLock { state in
            // It may have been broken off meanwhile, and nothing follows an end.
            guard state.underWay[ObjectIdentifier(execution)] != nil else { return false }
            let before = state.notices.count
            state.append(.value(value), execution.copy, execution.intake)
            return state.notices.count > before
        }
        if isNoted { tell() } else { execution.intake?.taken() }
    }

    @inlinable
    func drain() {
        var seen = 1
        repeat {
            while let notice = state.withLock({ $0.notices.popFirst() }) { signals.perform(notice) }
        } while !claim.release(&seen)
    }

    /// Tells what there is; what comes of that is for the next turn.
    @inlinable
    func drainOnce(_ scheduler: any Scheduler, _ announced: Int = 1) {
        for notice in state.withLock({ $0.notices.takeAll() }) { signals.perform(notice) }
        var seen = announced
        if !claim.release(&seen) { scheduler.execute { [seen] in self.drainOnce(scheduler, seen) } }
    }
}
