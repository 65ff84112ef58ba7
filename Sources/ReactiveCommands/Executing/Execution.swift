public import ReactiveCore
public import ReactiveSignals
public import ReactiveSupport
public import Synchronization

/// One execution of work that may take its time: from the call that asks for it to its end.
///
/// It ends once, by whichever comes first: the work's termination, or a call that cancels it. A work whose source is sending its
/// termination has come first, though its teardowns run before that arrives here. Its place in the command is free when the
/// work has ended and all of its teardowns have returned, on whichever thread they run. Where it is cancelled while the work is
/// being begun, its place is free when that call has returned: a function that runs cannot be stopped.
///
/// The next one that waits begins then: on the thread that ends this one, or, where this one ends while its work is
/// being begun, after that and from a loop, so that any number of executions that end at once need no stack (law 8).
@usableFromInline
final class Execution<Output: Sendable, Failure: Error>: Sendable {
    @usableFromInline
    typealias WorkSignal = @Sendable () -> Signal<Output, Failure>

    @usableFromInline
    struct Parts: Sendable {
        @usableFromInline
        var work: WorkSignal?
        /// What those get who observe executions; made before the work begins.
        @usableFromInline
        var copy: ReplaySubject<Output, Never>?
        @usableFromInline
        var following: Execution?

        @inlinable
        init(_ work: WorkSignal?) { self.work = work }
    }

    /// The work's subscription: who holds the execution up holds this.
    @usableFromInline
    let input: TrackedSubscription
    /// Whoever asks for it: begun after that is over it is cancelled instead.
    @usableFromInline
    let owner: SignalSubscription?
    @usableFromInline
    let core: CommandCore<Output, Failure>
    @usableFromInline
    let outlet: Outlet<Output, Failure>
    @usableFromInline
    let onBegin: (@Sendable () -> Void)?
    @usableFromInline
    let backPressure: BackPressure?
    @usableFromInline
    let parts: Lock<Parts>
    @usableFromInline
    let isOver = Atomic<Bool>(false)
    @usableFromInline
    let progress = ExecutionProgress()
    /// Where it is among those that wait, or -1; read and written under the command's lock, by its ``WaitingLine``.
    @usableFromInline
    let place = Atomic<Int>(-1)

    @inlinable
    init(
        _ core: CommandCore<Output, Failure>,
        _ work: WorkSignal?,
        _ outlet: Outlet<Output, Failure>,
        in input: TrackedSubscription = TrackedSubscription(),
        for owner: SignalSubscription? = nil,
        onBegin: (@Sendable () -> Void)? = nil
    ) {
        self.input = input
        self.owner = owner
        self.core = core
        parts = Lock(Parts(work))
        self.outlet = outlet
        self.onBegin = onBegin
        backPressure = core.delivery.isDirect ? nil : BackPressure(input, 64, .subscriber)
    }

    /// Begins the work; gives the execution that is to begin now because this one has ended meanwhile.
    @inlinable
    func begin() -> Execution? {
        if let owner, owner.isDisposed { cancel() }
        let wasBroken = progress.add(.isBeginning).contains(.isBroken)
        let work = parts.withLock { $0.work.take() }
        if let work, !wasBroken, !input.isDisposed {
            onBegin?()
            // By closures made here, where the types are known: see ``RelaySink``.
            work().relay(in: input, { self.receive($0) }, { self.receive(termination: $0) })
        }
        let before = progress.add(.hasBegun)
        if before.contains(.isBroken), !wasBroken { endWhenTornDown(nil, .failed(.cancelled)) }
        return progress.add(.hasReturned).contains(.hasFollowing) ? takeFollowing() : nil
    }

    /// The one that is to begin because this one has ended.
    @inlinable
    func takeFollowing() -> Execution? { parts.withLock { $0.following.take() } }

    @inlinable
    func receive(_ value: Output) {
        if isOver.load(ordering: .acquiring) { return }
        outlet.onValue(value)
        core.note(value, of: self)
    }

    @inlinable
    func receive(termination: Termination<Failure>) {
        // Decided before the teardowns run: a call that cancels meanwhile comes too late.
        let isFirst = !isOver.exchange(true, ordering: .acquiringAndReleasing)
        input.dispose()
        guard isFirst else { return }
        switch termination {
        case .completed: endWhenTornDown(.ended(.completed), .completed)
        case .failed(let failure): endWhenTornDown(.ended(.failed(failure)), .failed(.failed(failure)))
        }
    }

    /// Breaks it off, also while it waits; nothing where it has ended, or its source has begun to say so.
    @usableFromInline
    func cancel() {
        if isOver.load(ordering: .acquiring) { return }
        input.whenNotTerminating { [self] in breakOff() }
    }

    private func breakOff() {
        if isOver.exchange(true, ordering: .acquiringAndReleasing) { return }
        input.dispose()
        let before = progress.add(.isBroken)
        // Else whoever begins it ends it.
        if !before.contains(.isBeginning) || before.contains(.hasBegun) {
            endWhenTornDown(nil, .failed(.cancelled))
        }
    }

    /// Ends it when its teardowns have returned: another thread may be running some.
    @usableFromInline
    func endWhenTornDown(_ event: Event<Output, Failure>?, _ termination: Termination<CommandError<Failure>>) {
        input.whenTornDown { [self] in pass(on: end(event, termination)) }
    }

    /// Ends one that has not been let in, or waits no more: the command has written that down.
    @inlinable
    func reject(_ reason: Rejection) {
        if isOver.exchange(true, ordering: .acquiringAndReleasing) { return }
        _ = parts.withLock { $0.work.take() }
        outlet.onTermination(.failed(.rejected(reason)))
    }

    /// Its values for those who observe executions; under the command's lock, where it runs nobody's code.
    @inlinable
    var copy: ReplaySubject<Output, Never>? { parts.withLock { $0.copy } }

    /// Makes the copy; under the command's lock.
    @inlinable
    func makeCopy() -> Signal<Output, Never> {
        parts.withLock { parts in
            let subject = ReplaySubject<Output, Never>(limit: CommandDelivery.replayLimit)
            parts.copy = subject
            return subject.signal
        }
    }

    /// Gives its place back, and gives the execution that is to begin now.
    @inlinable
    func end(_ event: Event<Output, Failure>?, _ termination: Termination<CommandError<Failure>>) -> Execution? {
        _ = parts.withLock { $0.work.take() }
        let following = core.leave(self, event)
        outlet.onTermination(termination)
        return following
    }

    @inlinable
    func pass(on next: Execution?) {
        guard let next else { return }
        parts.withLock { $0.following = next }
        // Else whoever begins this one takes it.
        if progress.add(.hasFollowing).contains(.hasReturned), let next = takeFollowing() { core.begin(next) }
    }
}
