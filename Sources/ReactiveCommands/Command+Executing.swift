// SPDX-License-Identifier: MIT
public import ReactiveCore
public import ReactiveSignals
import ReactiveSupport
import Synchronization

extension Command {
    /// Executes the work at once, and returns the events of this execution.
    ///
    /// The work is called on the calling thread before this returns, unless it has to wait. Any thread may call it. The
    /// result is hot: each subscriber receives the last `limit` values, then later ones and the termination.
    ///
    /// - Parameters:
    ///   - input: The input of the work.
    ///   - limit: How many values later subscribers receive. Zero or less replays none.
    ///   - policy: What happens when the last subscriber of the result has been disposed. By default the work
    ///     continues, also without subscribers.
    /// - Returns: A signal of the execution. It fails with ``CommandError/rejected(_:)`` if the execution is not
    ///   admitted.
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
                core.leave(throwing: error)
                return .fail(.failed(error))
            }
        }
        let subject = ReplaySubject<Output, CommandError<Failure>>(limit: limit)
        let outlet = Outlet<Output, Failure>(
            onValue: { subject.send($0) },
            onTermination: { subject.send(termination: $0) }
        )
        let (execution, isRefused) = makeExecution(input, outlet)
        core.submit(execution, isRefused: isRefused)
        return policy == .finish ? subject.signal : subject.signal.cancelling(execution)
    }

    /// Executes the work at once, and sends the events of this execution to `observer`.
    ///
    /// If the work is a function and the command has no observers, this allocates nothing. If the work runs inside this
    /// call, so does the observer. Otherwise the observer is called on the thread on which the work sends, one event at
    /// a time; see law 2 (Docs/Laws.md). The observer receives ``CommandError/rejected(_:)`` if the execution is not
    /// admitted. The execution cannot be cancelled through this call.
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

    /// Makes a signal that executes the work for each subscription. Each execution is admitted, or rejected, when the
    /// subscription begins.
    ///
    /// A pause of the subscription pauses the work; see law 11 (Docs/Laws.md). The signal retains the command.
    ///
    /// - Parameters:
    ///   - input: The input of each execution.
    ///   - policy: What happens to the execution when its subscription is disposed. By default it is cancelled, also
    ///     while it waits.
    /// - Returns: A signal that fails with ``CommandError/rejected(_:)`` if the execution is not admitted.
    @inlinable
    public func apply(
        _ input: Input,
        whenDisposed policy: DisposalPolicy = .cancel
    ) -> Signal<Output, CommandError<Failure>> {
        Signal { emitter, subscription in self.submit(input, emitter, subscription, policy) }
    }

    /// A target that executes each value that is sent to it, until the command ends. Only the command's observers
    /// receive the results.
    ///
    /// It does not retain the command.
    public var target: BindingTarget<Input> {
        // Without the lifetime: a binding does not retain the command.
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
            // After the disposal there is no receiver, so a value need not pass the serializer.
            onValue: { if !subscription.isDisposed { emitter.send($0) } },
            onTermination: { emitter.send(termination: $0) }
        )
        let made = makeExecution(input, outlet, for: policy == .cancel ? subscription : nil)
        let execution = made.execution
        subscription.passPauses(to: execution.input, .inOrder)
        if policy == .cancel { subscription.onDispose { execution.cancel() } }
        core.submit(execution, isRefused: made.isRefused)
    }

    @inlinable
    func makeExecution(
        _ value: Input,
        _ outlet: Outlet<Output, Failure>,
        in input: TrackedSubscription = TrackedSubscription(),
        for owner: SignalSubscription? = nil,
        onBegin: (@Sendable () -> Void)? = nil
    ) -> (execution: Execution<Output, Failure>, isRefused: Bool) {
        let bound = work.bound(to: value)
        return (Execution(core, bound, outlet, in: input, for: owner, onBegin: onBegin), bound == nil)
    }
}

extension Signal {
    /// Returns the same signal. When the last subscription to it has ended, the execution is cancelled.
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
