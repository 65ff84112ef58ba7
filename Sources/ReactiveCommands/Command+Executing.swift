public import ReactiveCore
public import ReactiveSignals
import ReactiveSupport
import Synchronization

extension Command {
    /// Executes the work at once, and gives what this execution sends.
    ///
    /// The work is called here, unless it has to wait. The result is hot: it sends to whoever subscribes the last `limit`
    /// values, and what follows, and the end. It fails with ``CommandError/rejected(_:)`` where the execution is not let in.
    /// With `.cancel` the work is cancelled when the last subscriber of the result has been disposed.
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

    /// Executes the work at once, and sends to `observer` what this execution sends.
    ///
    /// What `execute(_:)` costs is saved here: with a function for work, and nobody observing the command, nothing is
    /// allocated. The observer hears it here where the work is done here (law 2 holds wherever else).
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

    /// Makes a signal that executes the work for each subscription: it is let in, or not, when it subscribes.
    ///
    /// A pause holds the work back (law 11). The signal keeps the command.
    @inlinable
    public func apply(
        _ input: Input,
        whenDisposed policy: DisposalPolicy = .cancel
    ) -> Signal<Output, CommandError<Failure>> {
        Signal { emitter, subscription in self.submit(input, emitter, subscription, policy) }
    }

    /// Executes each value sent to it, for as long as the command lasts; what comes of it is told to observers only.
    public var target: BindingTarget<Input> {
        // Without the life: a binding does not keep the command.
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
            // After the disposal nobody listens, so a value need not pass the serializer.
            onValue: { if !subscription.isDisposed { emitter.send($0) } },
            onTermination: { emitter.send(termination: $0) }
        )
        let made = makeExecution(input, outlet, for: policy == .cancel ? subscription : nil)
        let execution = made.execution
        subscription.link(execution.input, passing: .inOrder)
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
    /// The same signal; when the last of those who have subscribed has gone, the execution is cancelled.
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
