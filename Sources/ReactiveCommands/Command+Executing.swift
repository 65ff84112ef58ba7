// SPDX-License-Identifier: MIT
public import ReactiveCore
public import ReactiveSignals
import ReactiveSupport
import Synchronization

extension Command {
    /// Submits an execution and returns its signal.
    ///
    /// Any thread may call this method. It calls the work on the calling thread before it returns, unless the execution
    /// has to wait. The result is hot: each subscriber receives the last `limit` values, then the later ones and the
    /// termination.
    ///
    /// - Parameters:
    ///   - input: The input of the work.
    ///   - limit: The number of earlier values that a later subscriber receives. With zero or less it receives none.
    ///   - policy: The policy for the execution when the subscription of the last subscriber is disposed. By default
    ///     the work continues. It also continues if the result never has a subscriber.
    /// - Returns: A signal of the execution. It fails with ``CommandError/rejected(_:)`` if the execution is not
    ///   admitted. You may ignore the signal. A failure of the work that reaches neither its subscribers nor the
    ///   command's observers is reported as an `UnhandledFailure`.
    @inlinable
    @discardableResult
    public func execute(
        _ input: Input,
        replaying limit: Int = 16,
        whenDisposed policy: DisposalPolicy = .finish
    ) -> Signal<Output, CommandError<Failure>> {
        if let function, core.enter() {
            do throws(Failure) {
                let value = try function(input)
                core.leave(value)
                return limit > 0 ? .just(value) : .empty
            } catch {
                return core.leaveFailing(error)
            }
        }
        let subject = ReplaySubject<Output, CommandError<Failure>>(limit: limit)
        let outlet = Outlet<Output, Failure>(
            isDiscardable: true,
            onValue: { subject.send($0) },
            onTermination: { [core] termination, unobserved in core.end(subject, termination, unobserved) }
        )
        let (execution, refused) = makeExecution(input, outlet)
        core.submit(execution, refused: refused)
        return policy == .finish ? subject.signal : subject.signal.cancelling(execution)
    }

    /// Submits an execution and sends its events to `observer`.
    ///
    /// If the work is a function and the command has no observers, this call allocates nothing. If the work runs inside
    /// this call, the observer is called inside it too. Otherwise the observer is called on the thread on which the
    /// work sends, one event at a time; see law 2 (Docs/Laws.md). The observer receives ``CommandError/rejected(_:)``
    /// if the execution is not admitted. The execution cannot be cancelled through this call.
    @inlinable
    public func execute<O: Observer>(_ input: Input, into observer: O)
    where O.Value == Output, O.Failure == CommandError<Failure> {
        guard let function, core.enter() else {
            apply(input, whenDisposed: .finish).subscribe(observer)
            return
        }
        do throws(Failure) {
            let value = try function(input)
            observer.receive(value)
            core.leave(value)
        } catch {
            core.leave(throwing: error)
            return observer.receive(termination: .failed(.failed(error)))
        }
        observer.receive(termination: .completed)
    }

    /// Returns a cold signal that executes the work once for each subscription. The command admits or rejects the
    /// execution when the subscription begins.
    ///
    /// A pause of the subscription pauses the work; see law 11 (Docs/Laws.md). The signal retains the command.
    ///
    /// - Parameters:
    ///   - input: The input of each execution.
    ///   - policy: The policy for the execution when its subscription is disposed. By default it is cancelled, even if
    ///     it is still waiting.
    /// - Returns: A signal that fails with ``CommandError/rejected(_:)`` if the execution is not admitted.
    @inlinable
    public func apply(
        _ input: Input,
        whenDisposed policy: DisposalPolicy = .cancel
    ) -> Signal<Output, CommandError<Failure>> {
        Signal { emitter, subscription in self.submit(input, emitter, subscription, policy) }
    }

    /// A target that executes the command with each value that it receives, until the command ends. Only the command's
    /// observers receive the results.
    ///
    /// The target does not retain the command.
    public var target: BindingTarget<Input> {
        // No `CommandLife` is passed, so the command can end while a binding exists.
        let command = Command(core, work, nil)
        return BindingTarget(during: life?.lifetime ?? Lifetime()) { input in command.execute(input, replaying: 0) }
    }

    @inlinable
    func submit(
        _ input: Input,
        _ emitter: Emitter<Output, CommandError<Failure>>,
        _ subscription: SignalSubscription,
        _ policy: DisposalPolicy
    ) {
        if let function, core.enter() {
            do throws(Failure) {
                let value = try function(input)
                emitter.send(value)
                core.leave(value)
                emitter.complete()
            } catch {
                core.leave(throwing: error)
                emitter.fail(.failed(error))
            }
            return
        }
        let outlet = Outlet<Output, Failure>(
            // A disposed subscription drops the value anyway, so this saves a call of the serializer.
            onValue: { if !subscription.isDisposed { emitter.send($0) } },
            onTermination: { termination, _ in emitter.send(termination: termination) }
        )
        let owner = policy == .cancel ? subscription : nil
        let (execution, refused) = makeExecution(input, outlet, for: owner, carrying: subscription.context)
        subscription.passPauses(to: execution.input, .inOrder)
        if policy == .cancel { subscription.onDispose { execution.cancel() } }
        core.submit(execution, refused: refused)
    }

    @inlinable
    func makeExecution(
        _ value: Input,
        _ outlet: Outlet<Output, Failure>,
        in input: TrackedSubscription = TrackedSubscription(),
        for owner: SignalSubscription? = nil,
        onBegin: (@Sendable () -> Void)? = nil,
        carrying context: PropagatedContext? = nil
    ) -> (execution: Execution<Output, Failure>, refused: Rejection?) {
        var bound = work.bound(to: value)
        var refused: Rejection? = bound == nil ? .disabled : nil
        // The work may begin on the thread that ends another execution.
        if let context, let work = bound { bound = { Signal.carrying(context, work) } }
        var admission: LoadAdmission?
        if let limiting = core.strategy.limiting, refused == nil {
            admission = limiting.limiter.begin()
            if admission == nil { refused = .overloaded }
        }
        let execution = Execution(core, bound, outlet, in: input, for: owner, admission, onBegin: onBegin)
        return (execution, refused)
    }
}

extension Signal {
    /// Returns a signal with the same events. It cancels the execution when the last subscription to it has ended.
    @usableFromInline
    func cancelling<Output, Break>(_ execution: Execution<Output, Break>) -> Signal {
        let count = SharedCount()
        return Signal.starting { sink, subscription in
            count.value.wrappingAdd(1, ordering: .relaxed)
            let sink = UnsafeTransfer(sink)
            relay(in: subscription, { sink.value.receive($0) }, { sink.value.receive(termination: $0) })
            subscription.onDispose {
                if count.value.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue == 0 {
                    execution.cancel()
                }
            }
        }
    }
}

private final class SharedCount: Sendable {
    let value = Atomic<Int>(0)
}
