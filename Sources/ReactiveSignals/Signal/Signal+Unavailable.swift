// SPDX-License-Identifier: MIT
public import ReactiveCore

// Each call that would lose a failure resolves to one of these, so that the compiler says what to write instead. They
// have no parameters `file` and `line`. So documentation links to the overloads that have them stay unambiguous.
extension Signal {
    /// Does not compile: the signal can fail, so a subscription must handle the failure.
    @available(*, unavailable, message: "the signal can fail: also pass onTermination, which receives the failure")
    @discardableResult
    public func subscribe(onValue: @escaping @Sendable (Value) -> Void = { _ in }) -> SignalSubscription {
        fatalError("unavailable")
    }

    /// Does not compile: the signal can fail, so a subscription must handle the failure.
    @available(*, unavailable, message: "the signal can fail: also pass onTermination, which receives the failure")
    public func subscribe(
        in subscription: SignalSubscription,
        onValue: @escaping @Sendable (Value) -> Void = { _ in }
    ) {
        fatalError("unavailable")
    }

    /// Does not compile: the signal can fail, so a subscription must handle the failure.
    @available(*, unavailable, message: "the signal can fail: also pass onTermination, which receives the failure")
    @discardableResult
    public func subscribe(onMain onValue: @escaping @MainActor @Sendable (Value) -> Void) -> SignalSubscription {
        fatalError("unavailable")
    }

    /// Does not compile: without `onValue`, an unlabelled trailing closure would be passed as `onTermination`.
    @available(*, unavailable, message: "the signal sends values: also pass onValue, or { _ in } to ignore them")
    @_disfavoredOverload
    @discardableResult
    public func subscribe(
        onTermination: @escaping @Sendable (Termination<Failure>) -> Void
    ) -> SignalSubscription {
        fatalError("unavailable")
    }

    /// Does not compile: without `onValue`, an unlabelled trailing closure would be passed as `onTermination`.
    @available(*, unavailable, message: "the signal sends values: also pass onValue, or { _ in } to ignore them")
    @_disfavoredOverload
    public func subscribe(
        in subscription: SignalSubscription,
        onTermination: @escaping @Sendable (Termination<Failure>) -> Void
    ) {
        fatalError("unavailable")
    }
}
