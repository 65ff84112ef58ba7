// SPDX-License-Identifier: MIT
public import ReactiveCore
public import ReactiveSignals
public import ReactiveSupport

/// All state that admission depends on. The command's lock protects it, so each decision is atomic.
@usableFromInline
struct CommandState<Output: Sendable, Failure: Error>: Sendable {
    @usableFromInline
    typealias One = Execution<Output, Failure>

    /// Whether the condition is true and the command has not ended.
    @usableFromInline
    var isOpen = true
    @usableFromInline
    var isAllowed = true
    @usableFromInline
    var hasEnded = false

    /// The number of executions under way. Functions without an ``Execution`` count too, but are not in `underWay`.
    @usableFromInline
    var running = 0
    @usableFromInline
    var underWay = IdentityTable<One>()
    @usableFromInline
    var waiting = WaitingLine<Output, Failure>()

    /// The number of all observers. `observed` counts them by kind.
    @usableFromInline
    var observers = 0
    @usableFromInline
    var observed = ObservedCounts()
    @usableFromInline
    var reported = (isExecuting: false, isEnabled: true)
    @usableFromInline
    var notices = FIFO<Notice<Output, Failure>>()

    @inlinable
    mutating func append(
        _ event: Event<Output, Failure>,
        _ copy: ReplaySubject<Output, Never>?,
        _ backPressure: BackPressure? = nil,
        _ unobserved: UnobservedFailure<CommandError<Failure>>? = nil
    ) {
        if observed.events > 0 || copy != nil {
            notices.append(.event(NotedEvent(event, unobserved), copy, backPressure))
        }
    }

    @inlinable
    mutating func append(_ rejection: Rejection) {
        if observed.rejections > 0 { notices.append(.rejection(rejection)) }
    }

    @inlinable
    init() {}

    /// Admits an execution that has a slot.
    @inlinable
    mutating func admit(_ execution: One, _ strategy: CommandStrategy) {
        underWay[ObjectIdentifier(execution)] = execution
        noteStates(strategy)
        if observed.executions > 0 { notices.append(.execution(execution.makeCopy())) }
    }

    /// Frees a slot, or passes it to the next execution that waits. Returns that execution, or `nil`.
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

    /// Records the states that have changed, if they are observed.
    @inlinable
    mutating func noteStates(_ strategy: CommandStrategy) {
        guard observed.states > 0 else { return }
        let now = (isExecuting: isExecuting(), isEnabled: isEnabled(strategy))
        if now.isExecuting != reported.isExecuting { notices.append(.isExecuting(now.isExecuting)) }
        if now.isEnabled != reported.isEnabled { notices.append(.isEnabled(now.isEnabled)) }
        reported = now
    }
}

/// The number of observers of each kind.
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
