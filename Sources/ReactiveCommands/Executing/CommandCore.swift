public import ReactiveSignals
public import ReactiveSupport

/// Lets executions in, ends them and tells of them; what a command and all that are made of it by `contramap` share.
///
/// Admission is a step under one lock around plain state; what follows from it — work, observers, ends — happens outside.
/// What is told goes through one queue, written under that lock, so that everybody sees one order.
@usableFromInline
final class CommandCore<Output: Sendable, Failure: Error>: Sendable {
    @usableFromInline
    let strategy: CommandStrategy
    /// How many functions may run at a time; none where each execution has to be known.
    @usableFromInline
    let functions: Int
    @usableFromInline
    let delivery: CommandDelivery
    @usableFromInline
    let signals = CommandSignals<Output, Failure>()
    /// Who tells: see ``notifyObservers()``.
    @usableFromInline
    let claim = DrainClaim()
    @usableFromInline
    let state = Lock(CommandState<Output, Failure>())

    init(_ strategy: CommandStrategy, _ delivery: CommandDelivery) {
        self.strategy = strategy
        functions = strategy.isLatest ? 0 : strategy.running
        self.delivery = delivery
    }

    /// The condition has changed.
    func allow(_ isAllowed: Bool) {
        state.withLock { state in
            state.isAllowed = isAllowed
            state.isOpen = isAllowed && !state.hasEnded
            state.noteStates(strategy)
        }
        notifyObservers()
    }

    private typealias Left = (waiting: [Execution<Output, Failure>], underWay: [Execution<Output, Failure>])

    /// Ends the command; the second call does nothing.
    func end(_ policy: DisposalPolicy) {
        let left = state.withLock { state -> Left? in
            if state.hasEnded { return nil }
            state.hasEnded = true
            state.isOpen = false
            let waiting = state.waiting.takeAll()
            for _ in waiting { state.append(Rejection.ended) }
            state.noteStates(strategy)
            return (waiting, policy == .cancel ? Array(state.underWay.values) : [])
        }
        guard let left else { return }
        notifyObservers()
        for execution in left.waiting { execution.reject(.ended) }
        for execution in left.underWay { execution.cancel() }
        state.withLock { $0.notices.append(.end) }
        notifyObservers()
    }
}
