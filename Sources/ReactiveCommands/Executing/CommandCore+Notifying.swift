// SPDX-License-Identifier: MIT
public import ReactiveCore
public import ReactiveSignals
public import ReactiveSupport

extension CommandCore {
    /// Notifies the observers. If another thread is already notifying them, that thread also delivers the new notices.
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

    /// Records a value for its observers.
    @inlinable
    func note(_ value: Output, of execution: Execution<Output, Failure>) {
        guard state.withLock({ $0.observers > 0 }) else { return }
        execution.backPressure?.arrived()
        let isNoted = state.withLock { state in
            // Another thread may have cancelled the execution since. No value may follow its termination.
            guard state.underWay[ObjectIdentifier(execution)] != nil else { return false }
            let before = state.notices.count
            state.append(.value(value), execution.copy, execution.backPressure)
            return state.notices.count > before
        }
        if isNoted { notifyObservers() } else { execution.backPressure?.taken() }
    }

    /// Notifies the observers of a rejection.
    @usableFromInline
    func note(_ rejection: Rejection) {
        state.withLock { $0.append(rejection) }
        notifyObservers()
    }

    @inlinable
    func drain() {
        claim.drain { while let notice = state.withLock({ $0.notices.popFirst() }) { signals.perform(notice) } }
    }

    /// Notifies the observers in a job. Later notices wait for the next turn.
    @inlinable
    func notifyLater(on scheduler: any Scheduler, _ announced: Int) {
        let errand = DeliveryTask(self, announced)
        scheduler.executeLater {
            errand.run { core, announced in
                for notice in core.state.withLock({ $0.notices.takeAll() }) { core.signals.perform(notice) }
                var seen = announced
                if !core.claim.release(&seen) { core.notifyLater(on: scheduler, seen) }
            }
        }
    }

    /// Drops all notices, because the scheduler has been disposed. Resumes work that was paused while they waited.
    @usableFromInline
    func forget(_ announced: Int) {
        claim.drain(announced) {
            for case .event(_, _, let backPressure?) in state.withLock({ $0.notices.takeAll() }) {
                backPressure.taken()
            }
        }
    }
}
