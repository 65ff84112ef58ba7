// SPDX-License-Identifier: MIT
public import ReactiveCore

extension Signal {
    /// Subscribes a target, which enforces law 1 itself.
    package func attach<Target: SinkTarget & ~Copyable>(_ sink: TargetSink<Target>, in subscription: SignalSubscription)
    where Target.Value == Value, Target.Failure == Failure {
        guard !subscription.isDisposed else { return }
        if LiveGraph.isOn {
            return start(LiveGraph.found(subscription, counting: sink), subscription)
        }
        start(sink, subscription)
    }

    /// Starts the source of an operator in another module, whose values are not those of the subscriber.
    package func attachInput<Target: SinkTarget & ~Copyable>(
        _ sink: TargetSink<Target>,
        in subscription: SignalSubscription
    ) where Target.Value == Value, Target.Failure == Failure {
        start(sink, subscription)
    }

    /// Creates a signal that calls `make` for each subscription and subscribes to the result.
    package static func deferred(_ make: @escaping @Sendable () -> Signal) -> Signal {
        Signal(start: { sink, subscription in make().start(sink, subscription) })
    }

    /// Subscribes an operator's closures. See ``RelaySink``.
    @inlinable
    package func relay(
        in subscription: SignalSubscription,
        _ onValue: @escaping (Value) -> Void,
        _ onTermination: @escaping (Termination<Failure>) -> Void
    ) {
        start(RelaySink(onValue, onTermination), subscription)
    }
}

extension Sink {
    /// Sends the remaining values of an operator whose source has completed, then completes. During a pause the values
    /// wait.
    @inlinable
    func finish<S: Sequence>(with values: S, in subscription: SignalSubscription) where S.Element == Value {
        SequenceSource.start(values, self, subscription)
    }
}
