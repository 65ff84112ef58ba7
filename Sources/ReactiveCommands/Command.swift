import ReactiveCore
import ReactiveSignals

/// Work that can be executed: it is or is not enabled, is or is not executing, and its errors have a place to go.
///
/// Any thread may execute it, also from inside an observer, its work, or its own end: as many executions are let in as the
/// ``CommandStrategy`` says and no more, decided in one step. No lock is held while anybody's code runs (law 3). What it
/// tells its observers comes in one order, where its ``CommandDelivery`` says. Letting go of it ends it, as ``end(_:)`` does.
public final class Command<Input: Sendable, Output: Sendable, Failure: Error>: Sendable {
    @usableFromInline
    let core: CommandCore<Output, Failure>
    @usableFromInline
    let work: Work<Input, Output, Failure>
    /// The work where it is a plain function, which needs no signal.
    @usableFromInline
    let function: (@Sendable (Input) throws(Failure) -> Output)?
    /// Nil where it is somebody else's to end: see ``target``.
    let life: CommandLife?

    init(_ core: CommandCore<Output, Failure>, _ work: Work<Input, Output, Failure>, _ life: CommandLife?) {
        self.core = core
        self.work = work
        self.life = life
        if case .function(let function) = work { self.function = function } else { function = nil }
    }

    convenience init(
        _ strategy: CommandStrategy,
        _ condition: Signal<Bool, Never>?,
        _ delivery: CommandDelivery,
        _ work: Work<Input, Output, Failure>
    ) {
        let core = CommandCore<Output, Failure>(strategy, delivery)
        let watching = SignalSubscription()
        self.init(
            core,
            work,
            CommandLife { policy in
                watching.dispose()
                core.end(policy)
            }
        )
        // Weak: a condition may outlive the command, and may be made of what it tells.
        condition?.subscribe(in: watching, onValue: { [weak core] isAllowed in core?.allow(isAllowed) })
    }

    /// Ends the command: its signals complete, executions that wait are rejected as ``Rejection/ended``, and so is whoever
    /// asks later. Those under way go on unheard of, or are cancelled. The second call does nothing.
    public func end(_ policy: DisposalPolicy = .finish) { life?.end(policy) }
}
