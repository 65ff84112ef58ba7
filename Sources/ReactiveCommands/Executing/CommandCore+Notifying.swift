public import ReactiveCore
public import ReactiveSignals
public import ReactiveSupport

extension CommandCore {
    /// Tells what there is to tell, unless somebody is doing so: that one goes on then.
    @inlinable
    func notifyObservers() {
        guard claim.announce() else { return }
        switch delivery.kind {
        case .direct: drain()
        case .on(let scheduler):
            if scheduler.isCurrent { return drain() }
            let errand = DeliveryTask(self)
            scheduler.execute { errand.run { core, _ in core.drain() } }
        case .onNextTurn(let scheduler): notifyLater(on: scheduler, 1)
        }
    }

    /// Writes a value down for those who observe it.
    @inlinable
    func note(_ value: Output, of execution: Execution<Output, Failure>) {
        guard state.withLock({ $0.observers > 0 }) else { return }
        execution.backPressure?.arrived()
        let isNoted = state.withLock { state in
            // It may have been broken off meanwhile, and nothing follows an end.
            guard state.underWay[ObjectIdentifier(execution)] != nil else { return false }
            let before = state.notices.count
            state.append(.value(value), execution.copy, execution.backPressure)
            return state.notices.count > before
        }
        if isNoted { notifyObservers() } else { execution.backPressure?.taken() }
    }

    @inlinable
    func drain() {
        claim.drain { while let notice = state.withLock({ $0.notices.popFirst() }) { signals.perform(notice) } }
    }

    /// Tells what there is then; what comes of that is for the next turn.
    @inlinable
    func notifyLater(on scheduler: any Scheduler, _ announced: Int) {
        let errand = DeliveryTask(self, announced)
        scheduler.execute {
            errand.run { core, announced in
                for notice in core.state.withLock({ $0.notices.takeAll() }) { core.signals.perform(notice) }
                var seen = announced
                if !core.claim.release(&seen) { core.notifyLater(on: scheduler, seen) }
            }
        }
    }

    /// Lets go of what there was to tell: the scheduler is over. What was held back for it goes on.
    @usableFromInline
    func forget(_ announced: Int) {
        claim.drain(announced) {
            for case .event(_, _, let backPressure?) in state.withLock({ $0.notices.takeAll() }) {
                backPressure.taken()
            }
        }
    }
}
