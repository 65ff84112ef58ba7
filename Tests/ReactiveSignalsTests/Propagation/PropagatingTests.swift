// SPDX-License-Identifier: MIT
import LoopTestSupport
import ReactiveCore
import ReactiveSignals
import ReactiveSupport
import ReactiveTesting
import SchedulerConformance
import Testing

/// What `propagating` promises beyond single operators: sources, sharing, inner signals and nesting.
@Suite struct PropagatingTests {
    /// A source, and the call that makes it send and complete.
    struct Source: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let make: @Sendable (TestScheduler) -> Signal<Int, TestError>
        var send: @Sendable () -> Void = {}

        init(
            _ name: String,
            _ send: @escaping @Sendable () -> Void = {},
            _ make: @escaping @Sendable (TestScheduler) -> Signal<Int, TestError>
        ) {
            testDescription = name
            self.make = make
            self.send = send
        }
    }

    private static func send(_ observer: some Observer<Int, TestError>) {
        observer.receive(1)
        observer.receive(termination: .completed)
    }

    private static var sources: [Source] {
        let emitters = Log<Emitter<Int, TestError>>()
        let subject = Subject<Int, TestError>()
        let replay = ReplaySubject<Int, TestError>(limit: 1)
        let property = Property(0)
        return [
            Source("just") { _ in .just(1) },
            Source("values") { _ in Signal(values: 1...2) },
            Source("timer") { time in
                Signal.timer(after: .seconds(1), on: time).map { 1 }.setFailureType(to: TestError.self)
            },
            Source("interval") { time in
                Signal.interval(.seconds(1), on: time).take(2).setFailureType(to: TestError.self)
            },
            Source("interval of values") { time in .interval(values: 1...2, every: .seconds(1), on: time) },
            Source("perform") { time in .perform(on: time) { 1 } },
            Source("emitter", { emitters.entries.forEach(send) }) { _ in
                Signal { emitter, _ in emitters.add(emitter) }
            },
            Source("subject", { send(subject) }) { _ in subject.signal },
            Source("replay subject", { send(replay) }) { _ in replay.signal },
            Source("property", { property.value = 1 }) { _ in property.signal.take(2).setFailureType(to: TestError.self)
            },
            Source("a failure that is retried") { time in
                let tries = Box(0)
                return Signal<Int, TestError>.just(1).attemptMap { value throws(TestError) in
                    let attempt = tries.update { tries in
                        tries += 1
                        return tries
                    }
                    if attempt < 3 { throw .broken }
                    return value
                }.retry(after: .seconds(1), on: time)
            },
        ]
    }

    @Test("Each kind of source sends with the values", arguments: sources)
    func aSource(_ source: Source) throws {
        let (time, seen) = (TestScheduler(), Sightings())
        let isOver = Box(false)
        Ambient.$id.withValue(Ambient.subscriber) {
            source.make(time).map { value in
                seen.note("map")
                return value
            }.propagating(Ambient.$id).subscribe(
                onValue: { (_: Int) in seen.note("value") },
                onTermination: { _ in
                    seen.note("termination")
                    isOver.value = true
                }
            )
        }
        try Ambient.elsewhere {
            source.send()
            try time.advance(by: .seconds(10))
        }
        #expect(isOver.value)
        #expect(seen.strays == [])
        #expect(seen.places == ["map", "value", "termination"])
    }

    @Test("A task that a signal starts inherits the values")
    func aTask() async throws {
        let seen = Sightings()
        let signal = Signal<Int, TestError> { () async throws(TestError) in
            seen.note("task")
            await Task.yield()
            seen.note("task, later")
            return 1
        }.map { value in
            seen.note("map")
            return value
        }
        let values = Ambient.$id.withValue(Ambient.subscriber) {
            signal.propagating(Ambient.$id).values.makeAsyncIterator()
        }
        var iterator = values
        #expect(try await iterator.next(isolation: nil) == 1)
        #expect(seen.strays == [])
        #expect(seen.places == ["task", "task, later", "map"])
    }

    @MainActor
    @Test("A subscriber on the main actor sees the values")
    func theMainActor() async throws {
        let seen = Sightings()
        let subject = Subject<Int, Never>()
        let done = Box(false)
        Ambient.$id.withValue(Ambient.subscriber) {
            subject.signal.propagating(Ambient.$id).subscribe(
                onMain: { _ in seen.note("value") },
                onTermination: { _ in
                    seen.note("termination")
                    done.value = true
                }
            )
        }
        await Task.detached {
            Ambient.elsewhere {
                subject.send(1)
                subject.complete()
            }
        }.value
        try await eventually("the termination") { done.value }
        #expect(seen.strays == [])
        #expect(seen.places == ["value", "termination"])
    }

    @Test("Two task-locals are restored, by one call or by two", arguments: [false, true])
    func twoTaskLocals(_ byOne: Bool) {
        let subject = Subject<Int, Never>()
        let seen = Log<String>()
        let noting = subject.signal.map { _ in "\(Ambient.id) \(Ambient.name)" }
        Ambient.$id.withValue(1) {
            Ambient.$name.withValue("a") {
                (byOne
                    ? noting.propagating(Ambient.$id, Ambient.$name)
                    : noting.propagating(Ambient.$id).propagating(Ambient.$name))
                    .subscribe(onValue: { seen.add("\($0), \(Ambient.id) \(Ambient.name)") })
            }
        }
        Ambient.elsewhere { subject.send(1) }
        #expect(seen.entries == ["1 a, 1 a"])
        #expect(Ambient.id == 0)
    }

    @Test("An operator after it that changes threads leaves the values")
    func afterwards() throws {
        let time = TestScheduler()
        let seen = Sightings()
        Ambient.$id.withValue(Ambient.subscriber) {
            _ = Signal<Int, Never>.just(1).propagating(Ambient.$id).observe(on: time)
                .subscribe(onValue: { _ in seen.note("value") })
        }
        try Ambient.elsewhere { try time.advance(by: .zero) }
        #expect(seen.places(seeing: Ambient.other) == ["value"])
    }

    @Test(
        "Inner signals see the outer values, and may override them for themselves",
        arguments: [
            FlattenStrategy.merge, .concat, .concurrent(limit: 2), .latest, .first,
        ]
    )
    func innerSignals(_ strategy: FlattenStrategy) {
        let (outer, inner) = (Subject<Int, Never>(), Subject<Int, Never>())
        let seen = Log<String>()
        @Sendable func note(_ place: String) -> @Sendable (Int) -> Void { { _ in seen.add("\(place) \(Ambient.id)") } }
        Ambient.$id.withValue(1) {
            _ = outer.signal.flatMap(strategy) { value in
                seen.add("transform \(Ambient.id)")
                let own = inner.signal.handleEvents(onValue: note("inner"))
                // Only the subscription inside `withValue` captures 2.
                return Signal<Int, Never> { emitter, subscription in
                    Ambient.$id.withValue(2) { own.propagating(Ambient.$id).subscribe(emitter, in: subscription) }
                }
            }.handleEvents(onValue: note("outer")).propagating(Ambient.$id).subscribe(onValue: note("subscriber"))
        }
        Ambient.elsewhere {
            outer.send(1)
            inner.send(1)
        }
        #expect(seen.entries == ["transform 1", "inner 2", "outer 1", "subscriber 1"])
    }

    @Test("A shared source keeps the values of the subscriber that connected it")
    func sharing() {
        for replays in [0, 1, 2] {
            let subject = Subject<Int, Never>()
            let seen = Log<String>()
            let source = subject.signal.handleEvents(onValue: { _ in seen.add("source \(Ambient.id)") })
            let shared =
                switch replays {
                case 0: source.share()
                case 1: source.share(replay: 1)
                default: source.replayLazily(upTo: 1)
                }
            for id in 1...2 {
                Ambient.$id.withValue(id) {
                    _ = shared.map { _ in "\(Ambient.id)" }.propagating(Ambient.$id)
                        .subscribe(onValue: { seen.add("subscriber \($0)") })
                }
            }
            Ambient.elsewhere { subject.send(1) }
            #expect(seen.entries == ["source 1", "subscriber 1", "subscriber 2"])
        }
    }

    @Test("A connectable's source captures the values of the caller of connect()")
    func connecting() {
        let subject = Subject<Int, Never>()
        let seen = Log<Int>()
        let connectable = subject.signal.handleEvents(onValue: { _ in seen.add(Ambient.id) })
            .propagating(Ambient.$id).multicast()
        Ambient.$id.withValue(1) { _ = connectable.connect() }
        Ambient.elsewhere { subject.send(1) }
        #expect(seen.entries == [1])
    }

    @Test("Each subscription captures its own values")
    func eachSubscription() {
        let subject = Subject<Int, Never>()
        let seen = Log<Int>()
        let signal = subject.signal.propagating(Ambient.$id)
        for id in 1...3 { Ambient.$id.withValue(id) { _ = signal.subscribe(onValue: { _ in seen.add(Ambient.id) }) } }
        subject.send(0)
        #expect(seen.entries == [1, 2, 3])
    }

    @Test("A value that is sent from inside a delivery arrives with each subscriber's values")
    func reentrance() {
        let subject = Subject<Int, Never>()
        let seen = Log<String>()
        for id in 1...2 {
            Ambient.$id.withValue(id) {
                _ = subject.signal.propagating(Ambient.$id).subscribe(onValue: { value in
                    seen.add("\(value) at \(Ambient.id)")
                    if value == 1, id == 1 { subject.send(2) }
                })
            }
        }
        Ambient.elsewhere { subject.send(1) }
        #expect(seen.entries == ["1 at 1", "1 at 2", "2 at 1", "2 at 2"])
        #expect(Ambient.id == 0)
    }

    @Test("The values are released with the subscription")
    func release() {
        enum Local { @TaskLocal static var witness: Witness? }
        weak var weakWitness: Witness?
        let subject = Subject<Int, Never>()
        let subscription = SignalSubscription()
        do {
            let witness = Witness()
            weakWitness = witness
            Local.$witness.withValue(witness) {
                subject.signal.map { $0 }.debounce(.seconds(1), on: TestScheduler()).propagating(Local.$witness)
                    .subscribe(in: subscription)
            }
        }
        subject.send(1)
        #expect(weakWitness != nil)
        subscription.dispose()
        #expect(weakWitness == nil)
    }

    @Test("The stack does not grow with the number of signals that propagate")
    func depth() {
        let count = Box(0)
        Ambient.$id.withValue(1) {
            let one = Signal<Int, Never>.just(1).propagating(Ambient.$id)
            Signal.concat(repeatElement(one, count: manyLevels)).propagating(Ambient.$id)
                .subscribe(onValue: { _ in count.update { $0 += Ambient.id } })
        }
        #expect(count.value == manyLevels)
    }
}
