// SPDX-License-Identifier: MIT
// Overloads for two to six signals, which type-check faster than `combineLatestAll`. In Swift 6.3.1 a closure of five
// parameters takes seven seconds to type-check after a function with a parameter pack, and 20 milliseconds after one of
// these (Tests/Checks/typecheck.sh). They extend `Signal where Value == Never`, so the type of
// `Signal.combineLatest(…)` does not depend on its context. This makes type-checking faster too.
//
// Each one is written out, because code with a parameter pack is not specialised and looks up its types at run time for
// each value.
extension Signal where Value == Never {
    /// Sends the latest values of two signals; see ``combineLatestAll(_:)``.
    @inlinable
    public static func combineLatest<A: Sendable, B: Sendable>(
        _ a: Signal<A, Failure>,
        _ b: Signal<B, Failure>
    ) -> Signal<(A, B), Failure> {
        Signal<(A, B), Failure>(start: { sink, subscription in
            let junction = Junction(sink, subscription)
            let inputs = junction.inputs
            let latestA = LatestInput<A>(inputs)
            let latestB = LatestInput<B>(inputs)
            let all = Combination(junction, 2) { (latestA.take($0), latestB.take($0)) }
            all.join(a, latestA)
            all.join(b, latestB)
        })
    }

    /// Sends the latest values of three signals; see ``combineLatestAll(_:)``.
    @inlinable
    public static func combineLatest<A: Sendable, B: Sendable, C: Sendable>(
        _ a: Signal<A, Failure>,
        _ b: Signal<B, Failure>,
        _ c: Signal<C, Failure>
    ) -> Signal<(A, B, C), Failure> {
        Signal<(A, B, C), Failure>(start: { sink, subscription in
            let junction = Junction(sink, subscription)
            let inputs = junction.inputs
            let latestA = LatestInput<A>(inputs)
            let latestB = LatestInput<B>(inputs)
            let latestC = LatestInput<C>(inputs)
            let all = Combination(junction, 3) {
                (latestA.take($0), latestB.take($0), latestC.take($0))
            }
            all.join(a, latestA)
            all.join(b, latestB)
            all.join(c, latestC)
        })
    }

    /// Sends the latest values of four signals; see ``combineLatestAll(_:)``.
    @inlinable
    public static func combineLatest<A: Sendable, B: Sendable, C: Sendable, D: Sendable>(
        _ a: Signal<A, Failure>,
        _ b: Signal<B, Failure>,
        _ c: Signal<C, Failure>,
        _ d: Signal<D, Failure>
    ) -> Signal<(A, B, C, D), Failure> {
        Signal<(A, B, C, D), Failure>(start: { sink, subscription in
            let junction = Junction(sink, subscription)
            let inputs = junction.inputs
            let latestA = LatestInput<A>(inputs)
            let latestB = LatestInput<B>(inputs)
            let latestC = LatestInput<C>(inputs)
            let latestD = LatestInput<D>(inputs)
            let all = Combination(junction, 4) {
                (latestA.take($0), latestB.take($0), latestC.take($0), latestD.take($0))
            }
            all.join(a, latestA)
            all.join(b, latestB)
            all.join(c, latestC)
            all.join(d, latestD)
        })
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
        Signal<(A, B, C, D, E), Failure>(start: { sink, subscription in
            let junction = Junction(sink, subscription)
            let inputs = junction.inputs
            let latestA = LatestInput<A>(inputs)
            let latestB = LatestInput<B>(inputs)
            let latestC = LatestInput<C>(inputs)
            let latestD = LatestInput<D>(inputs)
            let latestE = LatestInput<E>(inputs)
            let all = Combination(junction, 5) {
                (latestA.take($0), latestB.take($0), latestC.take($0), latestD.take($0), latestE.take($0))
            }
            all.join(a, latestA)
            all.join(b, latestB)
            all.join(c, latestC)
            all.join(d, latestD)
            all.join(e, latestE)
        })
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
        Signal<(A, B, C, D, E, F), Failure>(start: { sink, subscription in
            let junction = Junction(sink, subscription)
            let inputs = junction.inputs
            let latestA = LatestInput<A>(inputs)
            let latestB = LatestInput<B>(inputs)
            let latestC = LatestInput<C>(inputs)
            let latestD = LatestInput<D>(inputs)
            let latestE = LatestInput<E>(inputs)
            let latestF = LatestInput<F>(inputs)
            let all = Combination(junction, 6) {
                (
                    latestA.take($0), latestB.take($0), latestC.take($0), latestD.take($0), latestE.take($0),
                    latestF.take($0)
                )
            }
            all.join(a, latestA)
            all.join(b, latestB)
            all.join(c, latestC)
            all.join(d, latestD)
            all.join(e, latestE)
            all.join(f, latestF)
        })
    }
}
