// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals

/// Runs work on request, limits how many executions run at a time, and reports states, results and errors.
///
/// Any thread may execute it, even from inside an observer, the work or a handler of a termination. Its
/// ``CommandStrategy`` decides atomically whether an execution begins, waits or is rejected. No lock is held while user
/// code runs; see law 3 (Docs/Laws.md).
///
/// All observers receive the notifications in the same order. The command's ``CommandDelivery`` says on which thread or
/// scheduler. Releasing the command ends it, as ``end(_:)`` does: executions under way finish.
public final class Command<Input: Sendable, Output: Sendable, Failure: Error>: Sendable {
    @usableFromInline
    let core: CommandCore<Output, Failure>
    @usableFromInline
    let work: Work<Input, Output, Failure>
    /// The work if it is a plain function, which needs no signal.
    @usableFromInline
    let function: (@Sendable (Input) throws(Failure) -> Output)?
    /// `nil` means that releasing this object must not end the command: see ``target``.
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
        // The capture is weak, because the condition may outlive the command, and may depend on the command's own
        // states.
        condition?.subscribe(in: watching, onValue: { [weak core] isAllowed in core?.allow(isAllowed) })
    }

    /// Ends the command. Any thread may call it. Later calls do nothing.
    ///
    /// The command's signals complete. Executions that wait or are submitted later are rejected as ``Rejection/ended``.
    ///
    /// - Parameter policy: The policy for executions under way. By default they continue, and the command's observers
    ///   receive nothing more.
    public func end(_ policy: DisposalPolicy = .finish) { life?.end(policy) }
}
