// SPDX-License-Identifier: MIT
import OpenCombine
import ReactiveSignals

/// A row that sends to a subject through `ours` and `theirs`.
@inline(never)
func hot<P: Publisher>(
    _ name: String,
    _ limit: Limit?,
    _ ours: (Signal<Int, Never>) -> Signal<Int, Never>,
    _ theirs: (PassthroughSubject<Int, Never>) -> P
) -> Row where P.Output == Int, P.Failure == Never {
    let (subject, total) = (Subject<Int, Never>(), Total())
    ours(subject.signal).subscribe { total.sum &+= $0 }
    let (passthrough, theirTotal) = (PassthroughSubject<Int, Never>(), Total())
    let sink = theirs(passthrough).sink { theirTotal.sum &+= $0 }
    return Row(
        name: "subject: \(name)",
        events: events,
        limit: limit,
        sides: [
            .ours {
                for value in 0..<events { subject.send(value) }
                return total.take()
            },
            .openCombine {
                for value in 0..<events { passthrough.send(value) }
                withExtendedLifetime(sink) {}
                return theirTotal.take()
            },
        ]
    )
}

/// Each delivery counts as one event.
@inline(never)
func fanOut(to count: Int, _ limit: Limit?) -> Row {
    let (subject, total) = (Subject<Int, Never>(), Total())
    for _ in 0..<count { subject.signal.subscribe { total.sum &+= $0 } }
    let (passthrough, theirTotal) = (PassthroughSubject<Int, Never>(), Total())
    let sinks = (0..<count).map { _ in passthrough.sink { theirTotal.sum &+= $0 } }
    let rounds = max(1, events / count)
    return Row(
        name: "fan-out to \(count)",
        events: rounds * count,
        limit: limit,
        sides: [
            .ours {
                for value in 0..<rounds { subject.send(value) }
                return total.take()
            },
            .openCombine {
                for value in 0..<rounds { passthrough.send(value) }
                withExtendedLifetime(sinks) {}
                return theirTotal.take()
            },
        ]
    )
}

/// OpenCombine 0.14 has no `merge`. Its `flatMap` over the four publishers does the same.
@inline(never)
func mergeOfFour() -> Row {
    let (subjects, total) = ((0..<4).map { _ in Subject<Int, Never>() }, Total())
    Signal.merge(subjects.map(\.signal)).subscribe { total.sum &+= $0 }
    let (passthroughs, theirTotal) = ((0..<4).map { _ in PassthroughSubject<Int, Never>() }, Total())
    let sink = passthroughs.publisher.flatMap { $0 }.sink { theirTotal.sum &+= $0 }
    return Row(
        name: "subject: merge of 4",
        events: events,
        limit: .ratio(0.40),
        sides: [
            .ours {
                for value in 0..<events { subjects[value & 3].send(value) }
                return total.take()
            },
            .openCombine {
                for value in 0..<events { passthroughs[value & 3].send(value) }
                withExtendedLifetime(sink) {}
                return theirTotal.take()
            },
        ]
    )
}

/// OpenCombine 0.14 has no `combineLatest` and no equivalent.
@inline(never)
func combineLatestOfTwo() -> Row {
    let (one, other, total) = (Subject<Int, Never>(), Subject<Int, Never>(), Total())
    one.signal.combineLatest(with: other.signal).subscribe { total.sum &+= $0.0 &+ $0.1 }
    return Row(
        name: "subject: combineLatest of 2",
        events: events,
        limit: .nanoseconds(100),
        sides: [
            .ours {
                for value in 0..<events / 2 {
                    one.send(value)
                    other.send(value)
                }
                return total.take()
            }
        ]
    )
}

/// Creates, subscribes and disposes a chain of two operators, which counts as one event.
@inline(never)
func subscribing() -> Row {
    let count = max(1, events / 10)
    let (subject, total) = (Subject<Int, Never>(), Total())
    let (passthrough, theirTotal) = (PassthroughSubject<Int, Never>(), Total())
    return Row(
        name: "subject: create, subscribe, dispose",
        events: count,
        limit: .ratio(0.50),
        sides: [
            .ours {
                for _ in 0..<count {
                    subject.signal.map { $0 &+ 1 }.filter { $0 & 1 == 0 }.subscribe { total.sum &+= $0 }.dispose()
                }
                return total.take()
            },
            .openCombine {
                for _ in 0..<count {
                    passthrough.map { $0 &+ 1 }.filter { $0 & 1 == 0 }.sink { theirTotal.sum &+= $0 }.cancel()
                }
                return theirTotal.take()
            },
        ]
    )
}
