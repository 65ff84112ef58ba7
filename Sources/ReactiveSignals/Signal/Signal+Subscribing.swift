// SPDX-License-Identifier: MIT
public import ReactiveCore

extension Signal {
    /// Sends events to closures, in a new subscription.
    ///
    /// The closures are called on the thread on which the source sends, one at a time, possibly before this returns.
    /// The subscription is disposed before `onTermination` is called. Neither is called after `dispose()` has returned
    /// on that thread ([law 1](doc:LawsOfSignals)). `file` and `line` are for the ``LiveGraph``.
    ///
    /// A signal that cannot fail needs no `onTermination`, and a signal without values needs no `onValue`. A call that
    /// would lose a failure does not compile.
    ///
    /// - Returns: The subscription. Releasing it does not end it.
    @inlinable
    @discardableResult
    public func subscribe(
        onValue: @escaping @Sendable (Value) -> Void,
        onTermination: @escaping @Sendable (Termination<Failure>) -> Void,
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> SignalSubscription {
        let subscription = SignalSubscription()
        if LiveGraph.isOn { LiveGraph.track(subscription, file, line) }
        start(ClosureSink(subscription, onValue, onTermination), subscription)
        return subscription
    }

    /// Sends events to closures, in a subscription that the caller has made. The caller can pause it before it starts,
    /// and can dispose it in the call of `onValue` for the first value.
    ///
    /// Does nothing if the subscription is disposed already. Otherwise it is like
    /// ``subscribe(onValue:onTermination:file:line:)``.
    @inlinable
    public func subscribe(
        in subscription: SignalSubscription,
        onValue: @escaping @Sendable (Value) -> Void,
        onTermination: @escaping @Sendable (Termination<Failure>) -> Void,
        file: StaticString = #fileID,
        line: UInt = #line
    ) {
        guard !subscription.isDisposed else { return }
        if LiveGraph.isOn { LiveGraph.track(subscription, file, line) }
        start(ClosureSink(subscription, onValue, onTermination), subscription)
    }
}

extension Signal where Failure == Never {
    /// Sends the values to a closure, in a new subscription. The signal cannot fail.
    ///
    /// Otherwise it is like ``subscribe(onValue:onTermination:file:line:)``.
    ///
    /// - Returns: The subscription. Releasing it does not end it.
    @inlinable
    @discardableResult
    public func subscribe(
        onValue: @escaping @Sendable (Value) -> Void = { _ in },
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> SignalSubscription {
        subscribe(onValue: onValue, onTermination: { _ in }, file: file, line: line)
    }

    /// Sends the values to a closure, in a subscription that the caller has made. The signal cannot fail.
    ///
    /// Otherwise it is like ``subscribe(in:onValue:onTermination:file:line:)``.
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
    /// Sends the termination to a closure, in a new subscription. The signal has no values.
    ///
    /// Otherwise it is like ``subscribe(onValue:onTermination:file:line:)``.
    ///
    /// - Returns: The subscription. Releasing it does not end it.
    @inlinable
    @discardableResult
    public func subscribe(
        onTermination: @escaping @Sendable (Termination<Failure>) -> Void,
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> SignalSubscription {
        subscribe(onValue: { _ in }, onTermination: onTermination, file: file, line: line)
    }

    /// Sends the termination to a closure, in a subscription that the caller has made. The signal has no values.
    ///
    /// Otherwise it is like ``subscribe(in:onValue:onTermination:file:line:)``.
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
