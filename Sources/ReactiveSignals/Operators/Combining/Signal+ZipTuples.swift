// SPDX-License-Identifier: MIT
// Overloads for two to six signals, which type-check faster than `zipAll`. In Swift 6.3.1 a closure of five parameters
// takes seven seconds to type-check after a function with a parameter pack, and 20 milliseconds after one of these
// (Tests/Checks/typecheck.sh). They extend `Signal where Value == Never`, so the type of `Signal.zip(…)` does not
// depend on its context. This makes type-checking faster too.
//
// Each one is written out, because code with a parameter pack is not specialised and looks up its types at run time for
// each value.
extension Signal where Value == Never {
    /// Sends the values of two signals in pairs. See ``zipAll(_:)``.
    @inlinable
    public static func zip<A: Sendable, B: Sendable>(
        _ a: Signal<A, Failure>,
        _ b: Signal<B, Failure>
    ) -> Signal<(A, B), Failure> {
        Signal<(A, B), Failure>(start: { sink, subscription in
            let junction = Junction(sink, subscription)
            let inputs = junction.inputs
            let queuedA = QueuedInput<A>(inputs)
            let queuedB = QueuedInput<B>(inputs)
            let all = Combination(junction, 2) { (queuedA.take($0), queuedB.take($0)) }
            all.join(a, queuedA)
            all.join(b, queuedB)
        })
    }

    /// Sends the values of three signals in tuples. See ``zipAll(_:)``.
    @inlinable
    public static func zip<A: Sendable, B: Sendable, C: Sendable>(
        _ a: Signal<A, Failure>,
        _ b: Signal<B, Failure>,
        _ c: Signal<C, Failure>
    ) -> Signal<(A, B, C), Failure> {
        Signal<(A, B, C), Failure>(start: { sink, subscription in
            let junction = Junction(sink, subscription)
            let inputs = junction.inputs
            let queuedA = QueuedInput<A>(inputs)
            let queuedB = QueuedInput<B>(inputs)
            let queuedC = QueuedInput<C>(inputs)
            let all = Combination(junction, 3) { (queuedA.take($0), queuedB.take($0), queuedC.take($0)) }
            all.join(a, queuedA)
            all.join(b, queuedB)
            all.join(c, queuedC)
        })
    }

    /// Sends the values of four signals in tuples. See ``zipAll(_:)``.
    @inlinable
    public static func zip<A: Sendable, B: Sendable, C: Sendable, D: Sendable>(
        _ a: Signal<A, Failure>,
        _ b: Signal<B, Failure>,
        _ c: Signal<C, Failure>,
        _ d: Signal<D, Failure>
    ) -> Signal<(A, B, C, D), Failure> {
        Signal<(A, B, C, D), Failure>(start: { sink, subscription in
            let junction = Junction(sink, subscription)
            let inputs = junction.inputs
            let queuedA = QueuedInput<A>(inputs)
            let queuedB = QueuedInput<B>(inputs)
            let queuedC = QueuedInput<C>(inputs)
            let queuedD = QueuedInput<D>(inputs)
            let all = Combination(junction, 4) {
                (queuedA.take($0), queuedB.take($0), queuedC.take($0), queuedD.take($0))
            }
            all.join(a, queuedA)
            all.join(b, queuedB)
            all.join(c, queuedC)
            all.join(d, queuedD)
        })
    }

    /// Sends the values of five signals in tuples. See ``zipAll(_:)``.
    @inlinable
    public static func zip<A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable>(
        _ a: Signal<A, Failure>,
        _ b: Signal<B, Failure>,
        _ c: Signal<C, Failure>,
        _ d: Signal<D, Failure>,
        _ e: Signal<E, Failure>
    ) -> Signal<(A, B, C, D, E), Failure> {
        Signal<(A, B, C, D, E), Failure>(start: { sink, subscription in
            let junction = Junction(sink, subscription)
            let inputs = junction.inputs
            let queuedA = QueuedInput<A>(inputs)
            let queuedB = QueuedInput<B>(inputs)
            let queuedC = QueuedInput<C>(inputs)
            let queuedD = QueuedInput<D>(inputs)
            let queuedE = QueuedInput<E>(inputs)
            let all = Combination(junction, 5) {
                (queuedA.take($0), queuedB.take($0), queuedC.take($0), queuedD.take($0), queuedE.take($0))
            }
            all.join(a, queuedA)
            all.join(b, queuedB)
            all.join(c, queuedC)
            all.join(d, queuedD)
            all.join(e, queuedE)
        })
    }

    /// Sends the values of six signals in tuples. See ``zipAll(_:)``.
    @inlinable
    public static func zip<A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable, F: Sendable>(
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
            let queuedA = QueuedInput<A>(inputs)
            let queuedB = QueuedInput<B>(inputs)
            let queuedC = QueuedInput<C>(inputs)
            let queuedD = QueuedInput<D>(inputs)
            let queuedE = QueuedInput<E>(inputs)
            let queuedF = QueuedInput<F>(inputs)
            let all = Combination(junction, 6) {
                (
                    queuedA.take($0), queuedB.take($0), queuedC.take($0), queuedD.take($0), queuedE.take($0),
                    queuedF.take($0)
                )
            }
            all.join(a, queuedA)
            all.join(b, queuedB)
            all.join(c, queuedC)
            all.join(d, queuedD)
            all.join(e, queuedE)
            all.join(f, queuedF)
        })
    }
}
