// By number, though `…All` takes any number: in Swift 6.3.1 a closure of five parameters behind a function with a parameter
// pack takes seven seconds to type-check, behind these twenty milliseconds (Tests/Checks/typecheck.sh). For the same reason
// they stand where the value is `Never`, so that `Signal.zip(…)` says what it makes without a look at what is done with it.
//
// Each is written out, not by way of the pack: code behind a pack is not compiled for the caller's types, and looks them up at
// run time for each value.
extension Signal where Value == Never {
    /// Sends the values of two signals one by one together; see ``zipAll(_:)``.
    @inlinable
    public static func zip<A: Sendable, B: Sendable>(
        _ a: Signal<A, Failure>,
        _ b: Signal<B, Failure>
    ) -> Signal<(A, B), Failure> {
        Signal<(A, B), Failure>(start: { sink, subscription in
            let junction = Junction(sink, subscription)
            let inputs = junction.inputs
            let laneA = ZipLane<A>(inputs)
            let laneB = ZipLane<B>(inputs)
            let all = Zip(junction, 2) { (laneA.take($0), laneB.take($0)) }
            all.join(a, laneA)
            all.join(b, laneB)
        })
    }

    /// Sends the values of three signals one by one together; see ``zipAll(_:)``.
    @inlinable
    public static func zip<A: Sendable, B: Sendable, C: Sendable>(
        _ a: Signal<A, Failure>,
        _ b: Signal<B, Failure>,
        _ c: Signal<C, Failure>
    ) -> Signal<(A, B, C), Failure> {
        Signal<(A, B, C), Failure>(start: { sink, subscription in
            let junction = Junction(sink, subscription)
            let inputs = junction.inputs
            let laneA = ZipLane<A>(inputs)
            let laneB = ZipLane<B>(inputs)
            let laneC = ZipLane<C>(inputs)
            let all = Zip(junction, 3) { (laneA.take($0), laneB.take($0), laneC.take($0)) }
            all.join(a, laneA)
            all.join(b, laneB)
            all.join(c, laneC)
        })
    }

    /// Sends the values of four signals one by one together; see ``zipAll(_:)``.
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
            let laneA = ZipLane<A>(inputs)
            let laneB = ZipLane<B>(inputs)
            let laneC = ZipLane<C>(inputs)
            let laneD = ZipLane<D>(inputs)
            let all = Zip(junction, 4) { (laneA.take($0), laneB.take($0), laneC.take($0), laneD.take($0)) }
            all.join(a, laneA)
            all.join(b, laneB)
            all.join(c, laneC)
            all.join(d, laneD)
        })
    }

    /// Sends the values of five signals one by one together; see ``zipAll(_:)``.
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
            let laneA = ZipLane<A>(inputs)
            let laneB = ZipLane<B>(inputs)
            let laneC = ZipLane<C>(inputs)
            let laneD = ZipLane<D>(inputs)
            let laneE = ZipLane<E>(inputs)
            let all = Zip(junction, 5) {
                (laneA.take($0), laneB.take($0), laneC.take($0), laneD.take($0), laneE.take($0))
            }
            all.join(a, laneA)
            all.join(b, laneB)
            all.join(c, laneC)
            all.join(d, laneD)
            all.join(e, laneE)
        })
    }

    /// Sends the values of six signals one by one together; see ``zipAll(_:)``.
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
            let laneA = ZipLane<A>(inputs)
            let laneB = ZipLane<B>(inputs)
            let laneC = ZipLane<C>(inputs)
            let laneD = ZipLane<D>(inputs)
            let laneE = ZipLane<E>(inputs)
            let laneF = ZipLane<F>(inputs)
            let all = Zip(junction, 6) {
                (laneA.take($0), laneB.take($0), laneC.take($0), laneD.take($0), laneE.take($0), laneF.take($0))
            }
            all.join(a, laneA)
            all.join(b, laneB)
            all.join(c, laneC)
            all.join(d, laneD)
            all.join(e, laneE)
            all.join(f, laneF)
        })
    }
}
