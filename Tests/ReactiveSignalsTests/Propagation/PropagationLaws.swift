// SPDX-License-Identifier: MIT
import LoopTestSupport
import ReactiveCore
import ReactiveSignals
import ReactiveSupport
import SchedulerConformance
import Testing

/// The task-locals of these tests.
enum Ambient {
    @TaskLocal static var id = 0
    @TaskLocal static var name = "none"

    /// The value of a subscriber, and another value, with which every other call is made.
    static let subscriber = 7
    static let other = 9

    /// Makes a call with the other value.
    static func elsewhere<Result>(_ body: () throws -> Result) rethrows -> Result {
        try $id.withValue(other) { try body() }
    }
}

/// What closures have seen, in order.
final class Sightings: Sendable {
    private let log = Log<(place: String, id: Int)>()

    func note(_ place: String) { log.add((place, Ambient.id)) }

    /// The places that have seen `id`.
    func places(seeing id: Int) -> [String] { log.entries.filter { $0.id == id }.map(\.place) }

    /// The places that have not seen the subscriber's value.
    var strays: [String] {
        log.entries.filter { $0.id != Ambient.subscriber }.map { "\($0.place) saw \($0.id)" }
    }

    var places: Set<String> { Set(log.entries.map(\.place)) }
}

/// `propagating` restores the subscriber's values in every closure, through every operator.
@Suite struct PropagationLaws {
    /// Subscribes to an operator between closures that note what they see.
    private func observed(
        _ source: Signal<Int, TestError>,
        _ bench: Bench,
        _ seen: Sightings,
        in subscription: SignalSubscription,
        propagates: Bool = true
    ) {
        let before = source.map { value in
            seen.note("before")
            return value
        }.handleEvents(
            onSubscribe: { seen.note("start") },
            onTermination: { _ in seen.note("termination before") },
            onDispose: { seen.note("teardown before") }
        )
        let after = bench.apply(before).handleEvents(
            onValue: { _ in seen.note("after") },
            onTermination: { _ in seen.note("termination after") },
            onDispose: { seen.note("teardown after") }
        )
        Ambient.$id.withValue(Ambient.subscriber) {
            (propagates ? after.propagating(Ambient.$id) : after).subscribe(
                in: subscription,
                onValue: { _ in seen.note("subscriber") },
                onTermination: { _ in seen.note("termination") }
            )
        }
    }

    /// A connectable's source belongs to the caller of `connect()`: `PropagatingTests/connecting` tests it.
    private static let cases = OperatorCase.all.filter { !$0.name.hasPrefix("multicast") }

    private static let everywhere: Set = [
        "start", "before", "after", "subscriber", "termination before", "termination after", "termination",
        "teardown before", "teardown after",
    ]

    @Test("A sender's values do not matter", arguments: cases)
    func aSender(_ operation: OperatorCase) {
        let (bench, seen) = (Bench(operation), Sightings())
        let subject = Subject<Int, TestError>()
        observed(subject.signal, bench, seen, in: SignalSubscription())
        Ambient.elsewhere {
            bench.settle()
            for value in 1...3 {
                subject.send(value)
                bench.settle()
            }
            subject.complete()
            bench.settle()
        }
        #expect(seen.strays == [])
        #expect(seen.places == Self.everywhere)
    }

    @Test("Without the operator, closures see the sender's values")
    func without() {
        let (bench, seen) = (Bench(.none), Sightings())
        let subject = Subject<Int, TestError>()
        observed(subject.signal, bench, seen, in: SignalSubscription(), propagates: false)
        Ambient.elsewhere { subject.send(1) }
        #expect(seen.places(seeing: Ambient.other) == ["before", "after", "subscriber"])
    }

    @Test("A pause and a failure keep the values", arguments: cases)
    func aPauseAndAFailure(_ operation: OperatorCase) {
        let (bench, seen) = (Bench(operation), Sightings())
        let subject = Subject<Int, TestError>()
        let subscription = SignalSubscription()
        observed(subject.signal, bench, seen, in: subscription)
        Ambient.elsewhere {
            bench.settle()
            let pause = subscription.pause()
            for value in 1...3 {
                subject.send(value)
                bench.settle()
            }
            pause.dispose()
            bench.settle()
            subject.fail(.broken)
            bench.settle()
        }
        #expect(seen.strays == [])
        #expect(seen.places.isSuperset(of: ["before", "termination", "teardown before", "teardown after"]))
    }

    @Test("A sequence that continues after a pause keeps the values", arguments: OperatorCase.without(.startsLate))
    func aSequence(_ operation: OperatorCase) {
        let (bench, seen) = (Bench(operation), Sightings())
        let subscription = SignalSubscription()
        let pause = subscription.pause()
        observed(Signal(values: 1...3), bench, seen, in: subscription)
        Ambient.elsewhere {
            bench.settle()
            pause.dispose()
            bench.settle()
        }
        #expect(seen.strays == [])
        #expect(seen.places == Self.everywhere)
    }

    @Test("A disposal runs teardowns with the values", arguments: cases)
    func aDisposal(_ operation: OperatorCase) {
        let (bench, seen) = (Bench(operation), Sightings())
        let subject = Subject<Int, TestError>()
        let subscription = SignalSubscription()
        observed(subject.signal, bench, seen, in: subscription)
        Ambient.elsewhere {
            bench.settle()
            subject.send(1)
            subscription.dispose()
            bench.settle()
        }
        #expect(seen.strays == [])
        #expect(seen.places.isSuperset(of: ["teardown before", "teardown after"]))
    }

    @Test("On a loop, everything keeps the values", arguments: LoopKind.all, OperatorCase.all)
    func aLoop(_ kind: LoopKind, _ operation: OperatorCase) throws {
        let loop = try kind.make()
        let seen = Sightings()
        let subject = Subject<Int, TestError>()
        let isOver = Box(false)
        Ambient.$id.withValue(Ambient.subscriber) {
            operation.make(subject.signal, loop).observe(on: loop).map { value in
                seen.note("after")
                return value
            }.propagating(Ambient.$id).subscribe(
                onValue: { (_: Int) in seen.note("subscriber") },
                onTermination: { _ in
                    seen.note("termination")
                    isOver.value = true
                }
            )
        }
        try Ambient.elsewhere {
            try loop.turns(2)
            let sender = TestThread {
                for value in 1...10 { subject.send(value) }
                subject.complete()
            }
            try loop.turns { isOver.value }
            try sender.join()
        }
        #expect(seen.strays == [])
        #expect(seen.places == ["after", "subscriber", "termination"])
        loop.dispose()
    }
}
