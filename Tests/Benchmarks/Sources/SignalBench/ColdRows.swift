// SPDX-License-Identifier: MIT
import OpenCombine
import ReactiveSignals

/// A row that subscribes to a sequence through `ours` and `theirs`.
@inline(never)
func cold<P: Publisher>(
    _ name: String,
    _ limit: Limit?,
    _ ours: (Signal<Int, Never>) -> Signal<Int, Never>,
    _ theirs: (Publishers.Sequence<Range<Int>, Never>) -> P
) -> Row where P.Output == Int, P.Failure == Never {
    let (signal, total) = (ours(Signal(values: 0..<events)), Total())
    let (publisher, theirTotal) = (theirs(Publishers.Sequence(sequence: 0..<events)), Total())
    return Row(
        name: "sequence: \(name)",
        events: events,
        limit: limit,
        sides: [
            .ours {
                signal.subscribe { total.sum &+= $0 }
                return total.take()
            },
            .openCombine {
                let sink = publisher.sink { theirTotal.sum &+= $0 }
                withExtendedLifetime(sink) {}
                return theirTotal.take()
            },
        ]
    )
}

/// Creates, subscribes and disposes a chain of two operators on a sequence of one value.
@inline(never)
func subscribingToSequence() -> Row {
    let count = max(1, events / 10)
    let (total, theirTotal) = (Total(), Total())
    return Row(
        name: "sequence: create, subscribe, dispose",
        events: count,
        limit: .ratio(0.50),
        sides: [
            .ours {
                for value in 0..<count {
                    Signal<Int, Never>(values: CollectionOfOne(value)).map { $0 &+ 1 }.filter { $0 & 1 == 0 }
                        .subscribe { total.sum &+= $0 }.dispose()
                }
                return total.take()
            },
            .openCombine {
                for value in 0..<count {
                    mapAndFilter(Publishers.Sequence<CollectionOfOne<Int>, Never>(sequence: CollectionOfOne(value)))
                        .sink { theirTotal.sum &+= $0 }.cancel()
                }
                return theirTotal.take()
            },
        ]
    )
}

// Generic over publishers, because the operators of `Publishers.Sequence` build arrays.

func mapAndFilter<P: Publisher>(_ publisher: P) -> Publishers.Filter<Publishers.Map<P, Int>> where P.Output == Int {
    publisher.map { $0 &+ 1 }.filter { $0 & 1 == 0 }
}

func eightMaps<P: Publisher>(_ publisher: P) -> Publishers.Map<P, Int> where P.Output == Int {
    // In steps, which type-check faster. OpenCombine merges each map of a map into one.
    let two: Publishers.Map<P, Int> = publisher.map { $0 &+ 1 }.map { $0 &+ 2 }
    let four: Publishers.Map<P, Int> = two.map { $0 &+ 3 }.map { $0 &+ 4 }
    let six: Publishers.Map<P, Int> = four.map { $0 &+ 5 }.map { $0 &+ 6 }
    return six.map { $0 &+ 7 }.map { $0 &+ 8 }
}

func scanned<P: Publisher>(_ publisher: P) -> Publishers.Scan<P, Int> where P.Output == Int {
    publisher.scan(0) { $0 &+ $1 }
}

func flatMapped<P: Publisher>(_ publisher: P) -> Publishers.FlatMap<Just<Int>, P>
where P.Output == Int, P.Failure == Never {
    publisher.flatMap { Just($0) }
}

// The same for signals.

func mapAndFilter(_ signal: Signal<Int, Never>) -> Signal<Int, Never> {
    signal.map { $0 &+ 1 }.filter { $0 & 1 == 0 }
}

func eightMaps(_ signal: Signal<Int, Never>) -> Signal<Int, Never> {
    signal.map { $0 &+ 1 }.map { $0 &+ 2 }.map { $0 &+ 3 }.map { $0 &+ 4 }
        .map { $0 &+ 5 }.map { $0 &+ 6 }.map { $0 &+ 7 }.map { $0 &+ 8 }
}

func scanned(_ signal: Signal<Int, Never>) -> Signal<Int, Never> { signal.scan(0) { $0 &+ $1 } }

func flatMapped(_ signal: Signal<Int, Never>) -> Signal<Int, Never> { signal.flatMap { .just($0) } }
