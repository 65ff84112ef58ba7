// SPDX-License-Identifier: MIT
public import ReactiveSignals
public import ReactiveSupport

/// Admits executions, ends them and notifies observers. A command shares its core with the commands that `contramap`
/// derives from it.
///
/// Admission is one step under one lock, which changes only plain state. Work, notifications and terminations run
/// outside the lock. All notices wait in one queue, which is filled under that lock, so all observers see the same
/// order.
@usableFromInline
final class CommandCore<Output: Sendable, Failure: Error>: Sendable {
    @usableFromInline
    let strategy: CommandStrategy
    /// How many functions may run at a time without an ``Execution``.
    @usableFromInline
    let functions: Int
    @usableFromInline
    let delivery: CommandDelivery
    @usableFromInline
    let signals = CommandSignals<Output, Failure>()
    /// Held by the thread that notifies observers. See ``notifyObservers()``.
    @usableFromInline
    let claim = DrainClaim()
    @usableFromInline
    let state = Lock(CommandState<Output, Failure>())

    init(_ strategy: CommandStrategy, _ delivery: CommandDelivery) {
        self.strategy = strategy
        functions = strategy.isLatest || strategy.limiting != nil ? 0 : strategy.running
        self.delivery = delivery
    }

    /// Applies a new value of the condition.
    func allow(_ isAllowed: Bool) {
        state.withLock { state in
            state.isAllowed = isAllowed
            state.isOpen = isAllowed && !state.hasEnded
            state.noteStates(strategy)
        }
        notifyObservers()
    }

    private typealias Left = (waiting: [Execution<Output, Failure>], underWay: [Execution<Output, Failure>])

    /// Ends the command. Later calls do nothing.
    func end(_ policy: DisposalPolicy) {
        let left = state.withLock { state -> Left? in
            if state.hasEnded { return nil }
            state.hasEnded = true
            state.isOpen = false
            let waiting = state.waiting.takeAll()
            for _ in waiting { state.append(Rejection.ended) }
            state.noteStates(strategy)
            return (waiting, policy == .cancel ? state.underWay.values : [])
        }
        guard let left else { return }
        notifyObservers()
        for execution in left.waiting { execution.reject(.ended) }
        for execution in left.underWay { execution.cancel() }
        state.withLock { $0.notices.append(.end) }
        notifyObservers()
    }
}
