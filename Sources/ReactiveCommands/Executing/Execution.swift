// SPDX-License-Identifier: MIT
public import ReactiveCore
public import ReactiveSignals
public import ReactiveSupport
public import Synchronization

/// One execution of work that may take time, from its submission to its end.
///
/// It ends once: by the work's termination or by a cancellation, whichever is first. The termination wins if the source
/// has begun to send it, even if cleanup handlers run before it arrives. The slot in the command is free when the work
/// has ended and all of its teardowns have returned, on any thread. If the execution is cancelled during the call that
/// starts the work, the slot is free when that call has returned. A running function cannot be stopped.
///
/// The next execution begins when the slot is free, on the thread that ends this one. If this one ends inside
/// `begin()`, `begin()` returns the next execution, and a loop begins it. So the stack does not grow if many executions
/// in a row end inside `begin()` (law 8).
@usableFromInline
final class Execution<Output: Sendable, Failure: Error>: Sendable {
    @usableFromInline
    typealias WorkSignal = @Sendable () -> Signal<Output, Failure>

    @usableFromInline
    struct Parts: Sendable {
        @usableFromInline
        var work: WorkSignal?
        /// The signal for observers of `executions`, created before the work begins.
        @usableFromInline
        var copy: ReplaySubject<Output, Never>?
        @usableFromInline
        var following: Execution?

        @inlinable
        init(_ work: WorkSignal?) { self.work = work }
    }

    /// The work's subscription. Pausing it pauses the execution.
    @usableFromInline
    let input: TrackedSubscription
    /// The subscriber's subscription. If it is disposed before the execution begins, the work is not called and the
    /// execution is cancelled. `nil` means that no disposal cancels the execution.
    @usableFromInline
    let owner: SignalSubscription?
    @usableFromInline
    let core: CommandCore<Output, Failure>
    @usableFromInline
    let outlet: Outlet<Output, Failure>
    /// The slot in the command's ``LoadLimiter``.
    @usableFromInline
    let admission: LoadAdmission?
    @usableFromInline
    let onBegin: (@Sendable () -> Void)?
    @usableFromInline
    let backPressure: BackPressure?
    @usableFromInline
    let parts: Lock<Parts>
    @usableFromInline
    let isOver = Atomic<Bool>(false)
    /// The bits of the ``ExecutionSteps`` that it has made.
    @usableFromInline
    let steps = Atomic<Int>(0)
    /// Its index in the ``WaitingLine``, or -1. Read and written under the command's lock.
    @usableFromInline
    let index = Atomic<Int>(-1)

    @inlinable
    init(
        _ core: CommandCore<Output, Failure>,
        _ work: WorkSignal?,
        _ outlet: Outlet<Output, Failure>,
        in input: TrackedSubscription = TrackedSubscription(),
        for owner: SignalSubscription? = nil,
        _ admission: LoadAdmission? = nil,
        onBegin: (@Sendable () -> Void)? = nil
    ) {
        self.input = input
        self.owner = owner
        self.core = core
        parts = Lock(Parts(work))
        self.outlet = outlet
        self.admission = admission
        self.onBegin = onBegin
        backPressure = core.delivery.isDirect ? nil : BackPressure(input, 64, .bySubscriber)
    }

    /// Begins the work. If it has ended already, returns the next execution, which the caller must begin.
    @inlinable
    func begin() -> Execution? {
        if let owner, owner.isDisposed { cancel() }
        if let admission, !isOver.load(ordering: .acquiring), !admission.mayStart() { expire() }
        let wasBroken = add(.isBeginning).contains(.isBroken)
        let work = parts.withLock { $0.work.take() }
        if let work, !wasBroken, !input.isDisposed {
            onBegin?()
            // The closures are created here, where the types are known: see ``RelaySink``.
            work().relay(in: input, { self.receive($0) }, { self.receive(termination: $0) })
        }
        let before = add(.hasBegun)
        if before.contains(.isBroken), !wasBroken { endWhenTornDown(nil, .failed(.cancelled)) }
        return add(.hasReturned).contains(.hasFollowing) ? takeFollowing() : nil
    }

    /// Adds a step. Returns the earlier ones.
    @inlinable
    func add(_ step: ExecutionSteps) -> ExecutionSteps {
        ExecutionSteps(rawValue: steps.bitwiseOr(step.rawValue, ordering: .acquiringAndReleasing).oldValue)
    }

    /// Takes the next execution, which must begin because this one has ended.
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
        // This is decided before the teardowns run, so a cancellation during them has no effect.
        let isFirst = !isOver.exchange(true, ordering: .acquiringAndReleasing)
        input.dispose()
        guard isFirst else { return }
        switch termination {
        case .completed: endWhenTornDown(.ended(.completed), .completed)
        case .failed(let failure): endWhenTornDown(.ended(.failed(failure)), .failed(.failed(failure)))
        }
    }

    /// Cancels the execution, even if it still waits. Does nothing if it has ended, or if its source has begun to send
    /// the termination.
    @usableFromInline
    func cancel() {
        if isOver.load(ordering: .acquiring) { return }
        input.whenNotTerminating { [self] in fail(.cancelled) }
    }

    /// Rejects the execution, which has waited too long. Its work has not begun.
    @usableFromInline
    func expire() { fail(.rejected(.overloaded)) }

    private func fail(_ error: CommandError<Failure>) {
        if isOver.exchange(true, ordering: .acquiringAndReleasing) { return }
        if case .rejected(let rejection) = error { core.note(rejection) }
        input.dispose()
        let before = add(.isBroken)
        // If `begin()` is starting the work, it ends the execution itself.
        if !before.contains(.isBeginning) || before.contains(.hasBegun) { endWhenTornDown(nil, .failed(error)) }
    }

    /// Ends the execution when its teardowns have returned. Another thread may still be running some of them.
    @usableFromInline
    func endWhenTornDown(_ event: Event<Output, Failure>?, _ termination: Termination<CommandError<Failure>>) {
        input.whenTornDown { [self] in pass(on: end(event, termination)) }
    }

    /// Ends an execution that was not admitted, or that was removed from the queue. The command has already recorded
    /// the rejection.
    @inlinable
    func reject(_ reason: Rejection) {
        if isOver.exchange(true, ordering: .acquiringAndReleasing) { return }
        _ = parts.withLock { $0.work.take() }
        admission?.end(.ignored)
        outlet.onTermination(.failed(.rejected(reason)), nil)
    }

    /// The signal for observers of `executions`. Called under the command's lock; it runs no user code.
    @inlinable
    var copy: ReplaySubject<Output, Never>? { parts.withLock { $0.copy } }

    /// Makes the subject for ``copy``, and returns its signal. Called under the command's lock.
    @inlinable
    func makeCopy() -> Signal<Output, Never> {
        parts.withLock { parts in
            let subject = ReplaySubject<Output, Never>(limit: CommandDelivery.replayLimit)
            parts.copy = subject
            return subject.signal
        }
    }

    /// Frees the slot and sends the termination. Returns the next execution, which must begin now.
    @inlinable
    func end(_ event: Event<Output, Failure>?, _ termination: Termination<CommandError<Failure>>) -> Execution? {
        _ = parts.withLock { $0.work.take() }
        admission?.end(with: termination)
        let unobserved = outlet.isDiscardable ? core.unobserved(event) : nil
        let following = core.leave(self, event, unobserved)
        outlet.onTermination(termination, unobserved)
        return following
    }

    @inlinable
    func pass(on next: Execution?) {
        guard let next else { return }
        parts.withLock { $0.following = next }
        // Otherwise `begin()` of this execution takes it.
        if add(.hasFollowing).contains(.hasReturned), let next = takeFollowing() { core.begin(next) }
    }
}
