// SPDX-License-Identifier: MIT
public import ReactiveCore
import ReactiveSupport

extension Scheduler {
    /// Runs `work` repeatedly: each call of `again` adds one more run, at the end of the queue.
    ///
    /// `again` may be called any number of times, during the work or later, from any thread. A call during the work
    /// takes effect after the work has returned, so the stack does not grow, even on the immediate scheduler
    /// ([law 8](doc:LawsOfSignals)).
    ///
    /// - Returns: A handle that stops the runs. After its disposal, a run that has not begun does not run (rule T27),
    ///   and `again` does nothing. Releasing the handle stops nothing.
    @discardableResult
    public func scheduleRecursive(_ work: @escaping @Sendable (_ again: @escaping @Sendable () -> Void) -> Void)
        -> any Disposable
    {
        let recursion = Recursion(self, work)
        recursion.again()
        return recursion
    }
}

/// Work that can request another run of itself.
final class Recursion: Disposable {
    typealias Work = @Sendable (@escaping @Sendable () -> Void) -> Void

    private struct State {
        /// `nil` when the runs have been stopped.
        var work: Work?
    }

    private let scheduler: any Scheduler
    private let state: Lock<State>
    /// Held by the call that submits runs to the scheduler. Each announcement is a run that another call requests.
    private let claim = DrainClaim()

    init(_ scheduler: any Scheduler, _ work: @escaping Work) {
        self.scheduler = scheduler
        state = Lock(State(work: work))
    }

    var isDisposed: Bool { state.withLock { $0.work == nil } }

    func dispose() {
        // Returned from the closure, so the work is released outside the lock.
        _ = state.withLock { $0.work.take() }
    }

    /// Submits one more run. If another call is already submitting, that call submits this run too. This happens on a
    /// scheduler that runs work inside `execute`.
    func again() {
        if isDisposed || !claim.announce() { return }
        var requested = 1
        repeat {
            for _ in 0..<requested where !isDisposed { scheduler.execute { self.run() } }
        } while !claim.release(&requested)
    }

    private func run() {
        let work = state.withLock { $0.work }
        work? { [self] in again() }
    }
}
