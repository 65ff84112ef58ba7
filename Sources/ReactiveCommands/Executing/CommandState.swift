public import ReactiveCore
public import ReactiveSignals
public import ReactiveSupport

/// Everything that admission depends on, behind the command's lock: who is let in is decided in one step.
@usableFromInline
struct CommandState<Output: Sendable, Failure: Error>: Sendable {
    @usableFromInline
    typealias One = Execution<Output, Failure>

    /// Whether the condition holds and the command is not over.
    @usableFromInline
    var isOpen = true
    @usableFromInline
    var isAllowed = true
    @usableFromInline
    var hasEnded = false

    /// How many are under way; those of functions are in no list.
    @usableFromInline
    var running = 0
    @usableFromInline
    var underWay: [ObjectIdentifier: One] = [:]
    @usableFromInline
    var waiting = WaitingLine<Output, Failure>()

    /// How many observe anything at all, and what.
    @usableFromInline
    var observers = 0
    @usableFromInline
    var observed = ObservedCounts()
    @usableFromInline
    var told = (isExecuting: false, isEnabled: true)
    @usableFromInline
    var notices = FIFO<Notice<Output, Failure>>()

    @inlinable
    mutating func append(
        _ event: Event<Output, Failure>,
        _ copy: ReplaySubject<Output, Never>?,
        _ backPressure: BackPressure? = nil
    ) {
        if observed.events > 0 || copy != nil { notices.append(.event(event, copy, backPressure)) }
    }

    @inlinable
    mutating func append(_ rejection: Rejection) {
        if observed.rejections > 0 { notices.append(.rejection(rejection)) }
    }

    @inlinable
    init() {}

    /// Lets one in that has a place.
    @inlinable
    mutating func admit(_ execution: One, _ strategy: CommandStrategy) {
        underWay[ObjectIdentifier(execution)] = execution
        noteStates(strategy)
        if observed.executions > 0 { notices.append(.execution(execution.makeCopy())) }
    }

    /// Takes one out and gives its place to the next; nil where nobody waits.
    @inlinable
    mutating func release(_ strategy: CommandStrategy) -> One? {
        let next = waiting.popFirst()
        if next == nil { running -= 1 }
        noteStates(strategy)
        if let next { admit(next, strategy) }
        return next
    }

    @inlinable
    func isExecuting() -> Bool { running > 0 }

    @inlinable
    func isEnabled(_ strategy: CommandStrategy) -> Bool { isOpen && hasRoom(strategy) }

    @inlinable
    func hasRoom(_ strategy: CommandStrategy) -> Bool {
        strategy.isLatest || running < strategy.running
            || waiting.count < strategy.waiting || strategy.dropsOldest
    }

    /// Writes down what has changed for those who observe the states.
    @inlinable
    mutating func noteStates(_ strategy: CommandStrategy) {
        guard observed.states > 0 else { return }
        let now = (isExecuting: isExecuting(), isEnabled: isEnabled(strategy))
        if now.isExecuting != told.isExecuting { notices.append(.isExecuting(now.isExecuting)) }
        if now.isEnabled != told.isEnabled { notices.append(.isEnabled(now.isEnabled)) }
        told = now
    }
}

/// How many observe each of the things that a command tells.
@usableFromInline
struct ObservedCounts: Sendable {
    @usableFromInline
    var states = 0
    @usableFromInline
    var executions = 0
    @usableFromInline
    var events = 0
    @usableFromInline
    var rejections = 0

    @inlinable
    init() {}
}
