// By number, though `…All` takes any number: in Swift 6.3.1 a closure of five parameters behind a function with a parameter
// pack takes seven seconds to type-check, behind these twenty milliseconds (Tests/Checks/typecheck.sh). For the same reason
// they stand where the value is `Never`, so that `Signal.combineLatest(…)` says what it makes without a look at what is done with it.
extension Signal where Value == Never {
    /// Sends the latest values of two signals; see ``combineLatestAll(_:)``.
    @inlinable
    public static func combineLatest<A: Sendable, B: Sendable>(
        _ a: Signal<A, Failure>,
        _ b: Signal<B, Failure>
    ) -> Signal<(A, B), Failure> {
        combineLatestAll(a, b)
    }

    /// Sends the latest values of three signals; see ``combineLatestAll(_:)``.
    @inlinable
    public static func combineLatest<A: Sendable, B: Sendable, C: Sendable>(
        _ a: Signal<A, Failure>,
        _ b: Signal<B, Failure>,
        _ c: Signal<C, Failure>
    ) -> Signal<(A, B, C), Failure> {
        combineLatestAll(a, b, c)
    }

    /// Sends the latest values of four signals; see ``combineLatestAll(_:)``.
    @inlinable
    public static func combineLatest<A: Sendable, B: Sendable, C: Sendable, D: Sendable>(
        _ a: Signal<A, Failure>,
        _ b: Signal<B, Failure>,
        _ c: Signal<C, Failure>,
        _ d: Signal<D, Failure>
    ) -> Signal<(A, B, C, D), Failure> {
        combineLatestAll(a, b, c, d)
    }

    /// Sends the latest values of five signals; see ``combineLatestAll(_:)``.
    @inlinable
    public static func combineLatest<A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable>(
        _ a: Signal<A, Failure>,
        _ b: Signal<B, Failure>,
        _ c: Signal<C, Failure>,
        _ d: Signal<D, Failure>,
        _ e: Signal<E, Failure>
    ) -> Signal<(A, B, C, D, E), Failure> {
        combineLatestAll(a, b, c, d, e)
    }

    /// Sends the latest values of six signals; see ``combineLatestAll(_:)``.
    @inlinable
    public static func combineLatest<A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable, F: Sendable>(
        _ a: Signal<A, Failure>,
        _ b: Signal<B, Failure>,
        _ c: Signal<C, Failure>,
        _ d: Signal<D, Failure>,
        _ e: Signal<E, Failure>,
        _ f: Signal<F, Failure>
    ) -> Signal<(A, B, C, D, E, F), Failure> {
        combineLatestAll(a, b, c, d, e, f)
    }
}
