public import ReactiveCore
public import ReactiveSignals
import ReactiveSupport
import Synchronization

/// One execution of work that may take its time: from the call that asks for it to its end.
///
/// It ends once, whoever comes first: the work, or who breaks it off. Its place in the command is free when its work has
/// ended; where it is broken off while the work is being begun, when that call has returned: a function that runs cannot be
/// stopped. The next one that waits begins then: on the thread that ends this one, or, where this one ends while its work is
/// being begun, after that and from a loop, so that any number of executions that end at once need no stack (law 8).
@usableFromInline
final class Execution<Output: Sendable, Failure: Error>: Observer, Sendable {
    @usableFromInline
    typealias Value = Output

    private enum Phase {
        static var isBeginning: Int { 1 }
        static var hasBegun: Int { 2 }
        static var isBroken: Int { 4 }
        static var hasFollowing: Int { 8 }
    }

    /// The work's subscription: who holds the execution up holds this.
    @usableFromInline
    let input: SignalSubscription
    private let core: CommandCore<Output, Failure>
    private let work: Lock<(@Sendable () -> Signal<Output, Failure>)?>
    private let outlet: Outlet<Output, Failure>
    private let onBegin: (@Sendable () -> Void)?
    private let replay = Lock<ReplaySubject<Output, Never>?>(nil)
    private let intake: Intake?
    private let isOver = Atomic<Bool>(false)
    private let phase = Atomic<Int>(0)
    private let following = Lock<Execution?>(nil)

    init(
        _ core: CommandCore<Output, Failure>,
        _ work: (@Sendable () -> Signal<Output, Failure>)?,
        _ outlet: Outlet<Output, Failure>,
        in input: SignalSubscription = SignalSubscription(),
        onBegin: (@Sendable () -> Void)? = nil
    ) {
        self.input = input
        self.core = core
        self.work = Lock(work)
        self.outlet = outlet
        self.onBegin = onBegin
        intake = core.isDirect ? nil : Intake(input, 64)
    }

    /// Begins the work; gives the execution that is to begin now because this one has ended meanwhile.
    func begin() -> Execution? {
        let wasBroken = advance(Phase.isBeginning) & Phase.isBroken != 0
        let work = work.withLock { $0.take() }
        if let work, !wasBroken {
            onBegin?()
            work().subscribe(self, in: input)
        }
        let before = advance(Phase.hasBegun)
        if before & Phase.isBroken != 0, !wasBroken { return end(nil, .failed(.cancelled)) }
        return before & Phase.hasFollowing == 0 ? nil : following.withLock { $0.take() }
    }

    @usableFromInline
    func receive(_ value: Output) {
        if isOver.load(ordering: .acquiring) { return }
        outlet.onValue(value)
        core.note(value, of: self, intake)
    }

    @usableFromInline
    func receive(termination: Termination<Failure>) {
        if isOver.exchange(true, ordering: .acquiringAndReleasing) { return }
        switch termination {
        case .completed: pass(on: end(.ended(.completed), .completed))
        case .failed(let failure): pass(on: end(.ended(.failed(failure)), .failed(.failed(failure))))
        }
    }

    /// Breaks it off, also while it waits; nothing where it has ended.
    @usableFromInline
    func cancel() {
        if isOver.exchange(true, ordering: .acquiringAndReleasing) { return }
        input.dispose()
        let before = advance(Phase.isBroken)
        // Else whoever begins it ends it.
        if before & Phase.isBeginning == 0 || before & Phase.hasBegun != 0 { pass(on: end(nil, .failed(.cancelled))) }
    }

    /// Ends one that has not been let in, or waits no more: the command has written that down.
    func reject(_ reason: Rejection) {
        if isOver.exchange(true, ordering: .acquiringAndReleasing) { return }
        _ = work.withLock { $0.take() }
        outlet.onTermination(.failed(.rejected(reason)))
    }

    /// Its values for those who observe executions; under the command's lock, where it runs nobody's code.
    var copy: ReplaySubject<Output, Never>? { replay.withLock { $0 } }

    /// Makes the copy; under the command's lock, before the work begins.
    func makeCopy() -> Signal<Output, Never> {
        replay.withLock { replay in
            let subject = ReplaySubject<Output, Never>(limit: CommandCore<Output, Failure>.replayLimit)
            replay = subject
            return subject.signal
        }
    }

    /// Gives its place back, and gives the execution that is to begin now.
    private func end(_ event: Event<Output, Failure>?, _ termination: Termination<CommandError<Failure>>) -> Execution? {
        _ = work.withLock { $0.take() }
        let following = core.leave(self, event)
        core.tell()
        outlet.onTermination(termination)
        return following
    }

    private func pass(on next: Execution?) {
        guard let next else { return }
        following.withLock { following in following = next }
        // Else whoever begins this one takes it.
        if advance(Phase.hasFollowing) & Phase.hasBegun != 0, let next = following.withLock({ $0.take() }) {
            core.begin(next)
        }
    }

    private func advance(_ bit: Int) -> Int { phase.bitwiseOr(bit, ordering: .acquiringAndReleasing).oldValue }
}
