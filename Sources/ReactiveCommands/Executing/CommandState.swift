import ReactiveCore
import ReactiveSignals
public import ReactiveSupport

/// Everything that admission depends on, behind the command's lock: who is let in is decided in one step.
@usableFromInline
struct CommandState<Output: Sendable, Failure: Error>: Sendable {
    @usableFromInline
    typealias One = Execution<Output, Failure>

    /// Whether the condition holds and the command is not over.
    @usableFromInline
    var isOpen = true
    var isAllowed = true
    var hasEnded = false

    /// How many are under way; those of functions are in no list.
    @usableFromInline
    var running = 0
    var underWay: [ObjectIdentifier: One] = [:]
    @usableFromInline
    var waiting = FIFO<One>()

    /// How many observe anything at all, and what.
    @usableFromInline
    var observers = 0
    var observed = ObservedCounts()
    var told = (isExecuting: false, isEnabled: true)
    var notices = FIFO<Notice<Output, Failure>>()

    mutating func append(_ event: Event<Output, Failure>, _ copy: ReplaySubject<Output, Never>?, _ intake: Intake? = nil) {
        if observed.events > 0 || copy != nil { notices.append(.event(event, copy, intake)) }
    }

    mutating func append(_ rejection: Rejection) {
        if observed.rejections > 0 { notices.append(.rejection(rejection)) }
    }

    /// Lets one in that has a place.
    mutating func admit(_ execution: One, _ strategy: CommandStrategy) {
        underWay[ObjectIdentifier(execution)] = execution
        noteStates(strategy)
        if observed.executions > 0 { notices.append(.execution(execution.makeCopy())) }
    }

    /// Takes one out and gives its place to the next; nil where nobody waits.
    mutating func release(_ strategy: CommandStrategy) -> One? {
        let next = waiting.popFirst()
        if next == nil { running -= 1 }
        noteStates(strategy)
        if let next { admit(next, strategy) }
        return next
    }

    func isExecuting() -> Bool { running > 0 }

    func isEnabled(_ strategy: CommandStrategy) -> Bool { isOpen && hasRoom(strategy) }

    func hasRoom(_ strategy: CommandStrategy) -> Bool {
        strategy.isLatest || running < strategy.running
            || (strategy.waiting > 0 && (strategy.whenFull == .dropsOldest || waiting.count < strategy.waiting))
    }

    /// Writes down what has changed for those who observe the states.
    mutating func noteStates(_ strategy: CommandStrategy) {
        guard observed.states > 0 else { return }
        let now = (isExecuting: isExecuting(), isEnabled: isEnabled(strategy))
        if now.isExecuting != told.isExecuting { notices.append(.isExecuting(now.isExecuting)) }
        if now.isEnabled != told.isEnabled { notices.append(.isEnabled(now.isEnabled)) }
        told = now
    }

    /// Takes out one that waits; false where it does not.
    mutating func removeWaiting(_ execution: One) -> Bool {
        let all = waiting.takeAll()
        for other in all where other !== execution { waiting.append(other) }
        return waiting.count < all.count
    }
}

/// How many observe each of the things that a command tells.
struct ObservedCounts: Sendable {
    var states = 0
    var executions = 0
    var events = 0
    var rejections = 0
}
