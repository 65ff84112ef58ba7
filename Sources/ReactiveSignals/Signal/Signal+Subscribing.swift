// SPDX-License-Identifier: MIT
public import ReactiveCore

extension Signal {
    /// Calls closures with the signal's events, in a new subscription.
    ///
    /// The closures are called on the thread on which the source sends, one at a time, possibly before this call
    /// returns. The subscription is disposed before `onTermination` is called. Neither is called after `dispose()` has
    /// returned on that thread ([law 1](doc:LawsOfSignals)). `file` and `line` identify the call in the ``LiveGraph``.
    ///
    /// A signal that cannot fail needs no `onTermination`, and a signal without values needs no `onValue`. A call that
    /// would lose a failure does not compile.
    ///
    /// - Returns: The subscription. Releasing it does not dispose it.
    @inlinable
    @discardableResult
    public func subscribe(
        onValue: @escaping @Sendable (Value) -> Void,
        onTermination: @escaping @Sendable (Termination<Failure>) -> Void,
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> SignalSubscription {
        let subscription = SignalSubscription()
        subscribe(in: subscription, onValue: onValue, onTermination: onTermination, file: file, line: line)
        return subscription
    }

    /// Calls closures with the signal's events, in a subscription that the caller has created. The caller can pause it
    /// before it starts, and can dispose it from inside the first call of `onValue`.
    ///
    /// Does nothing if the subscription is disposed already. ``subscribe(onValue:onTermination:file:line:)`` describes
    /// the rest.
    @inlinable
    public func subscribe(
        in subscription: SignalSubscription,
        onValue: @escaping @Sendable (Value) -> Void,
        onTermination: @escaping @Sendable (Termination<Failure>) -> Void,
        file: StaticString = #fileID,
        line: UInt = #line
    ) {
        guard !subscription.isDisposed else { return }
        let sink = ClosureSink(subscription, onValue, onTermination)
        if LiveGraph.isOn {
            start(LiveGraph.track(subscription, file, line, counting: sink), subscription)
        } else {
            start(sink, subscription)
        }
    }
}

extension Signal where Failure == Never {
    /// Calls a closure with each value, in a new subscription. The signal cannot fail.
    ///
    /// Apart from that, it behaves like ``subscribe(onValue:onTermination:file:line:)``.
    ///
    /// - Returns: The subscription. Releasing it does not dispose it.
    @inlinable
    @discardableResult
    public func subscribe(
        onValue: @escaping @Sendable (Value) -> Void = { _ in },
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> SignalSubscription {
        subscribe(onValue: onValue, onTermination: { _ in }, file: file, line: line)
    }

    /// Calls a closure with each value, in a subscription that the caller has created. The signal cannot fail.
    ///
    /// Apart from that, it behaves like ``subscribe(in:onValue:onTermination:file:line:)``.
    @inlinable
    public func subscribe(
        in subscription: SignalSubscription,
        onValue: @escaping @Sendable (Value) -> Void = { _ in },
        file: StaticString = #fileID,
        line: UInt = #line
    ) {
        subscribe(in: subscription, onValue: onValue, onTermination: { _ in }, file: file, line: line)
    }
}

extension Signal where Value == Never {
    /// Calls a closure with the termination, in a new subscription. The signal has no values.
    ///
    /// Apart from that, it behaves like ``subscribe(onValue:onTermination:file:line:)``.
    ///
    /// - Returns: The subscription. Releasing it does not dispose it.
    @inlinable
    @discardableResult
    public func subscribe(
        onTermination: @escaping @Sendable (Termination<Failure>) -> Void,
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> SignalSubscription {
        subscribe(onValue: { _ in }, onTermination: onTermination, file: file, line: line)
    }

    /// Calls a closure with the termination, in a subscription that the caller has created. The signal has no values.
    ///
    /// Apart from that, it behaves like ``subscribe(in:onValue:onTermination:file:line:)``.
    @inlinable
    public func subscribe(
        in subscription: SignalSubscription,
        onTermination: @escaping @Sendable (Termination<Failure>) -> Void,
        file: StaticString = #fileID,
        line: UInt = #line
    ) {
        subscribe(in: subscription, onValue: { _ in }, onTermination: onTermination, file: file, line: line)
    }
}
