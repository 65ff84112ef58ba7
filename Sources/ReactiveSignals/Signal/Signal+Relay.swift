public import ReactiveCore

extension Signal {
    /// Subscribes closures that hold to law 1 by themselves, as ``ClosureSink`` does: they look whether the subscription is
    /// over, and end it when a termination comes.
    @inlinable
    package func attach(
        in subscription: SignalSubscription,
        _ onValue: @escaping (Value) -> Void,
        _ onTermination: @escaping (Termination<Failure>) -> Void
    ) {
        guard !subscription.isDisposed else { return }
        if LiveGraph.isOn { LiveGraph.found(subscription) }
        relay(in: subscription, onValue, onTermination)
    }

    /// Subscribes an operator by closures; see ``RelaySink``.
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
    /// Sends what an operator has left when its source has completed, and completes; a pause is obeyed.
    @inlinable
    func finish<S: Sequence>(with values: S, in subscription: SignalSubscription) where S.Element == Value {
        SequenceSource.start(values, self, subscription)
    }
}
