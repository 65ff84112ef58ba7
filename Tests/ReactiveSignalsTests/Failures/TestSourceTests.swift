// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveSupport
import ReactiveTesting
import SchedulerConformance
import Testing

/// A hot source of a test sends its events in the order in which a subject sends them.
@Suite struct TestSourceTests {
    private typealias Timed = [TimedEvent<Int, TestError>]
    private typealias Maker = @Sendable (TestScheduler, Timed) -> Signal<Int, TestError>

    private static let makers: [(name: String, make: Maker)] = [
        ("a hot source", { time, events in time.hot(events).signal }),
        ("a hot source as a signal source", { time, events in Signal(time.hot(events)) }),
        ("a subject as a signal source", { time, events in Signal(subject(time, events)) }),
    ]

    private static func subject(_ time: TestScheduler, _ events: Timed) -> Subject<Int, TestError> {
        let subject = Subject<Int, TestError>()
        for event in events {
            time.schedule(after: event.time) {
                switch event.event {
                case .value(let value): subject.send(value)
                case .ended(let termination): subject.send(termination: termination)
                }
            }
        }
        return subject
    }

    @Test("A failure of a hot source overtakes the values that an operator delays")
    func aFailureOvertakes() throws {
        let time = Timeline()
        time.expect(time.hot("-abc#").signal.flatMap(.concat) { _ in Timeline.Letters.never }, "----#")
        time.expect(time.hot("-abc#").signal.rateLimit(1, per: .seconds(9), on: time.scheduler, limit: 1), "-a--#")
        time.expect(Signal(time.hot("-abc#")).flatMap(.concat) { _ in Timeline.Letters.never }, "----#")
        // It does not overtake values that the subscriber's pause delays.
        time.expect(time.hot("-abc#").signal, "------(abc#)", pausedFrom: 0, to: 6)
    }

    @Test(
        "With each operator, a hot source and a subject send the same events",
        arguments: FailureCase.delaying + FailureCase.racing + FailureCase.passing
    )
    func aHotSourceIsASubject(_ operation: FailureCase) throws {
        for seed in 0..<UInt64(Platform.rounds(20)) {
            let expected = try events(operation, seed) { time, events in Self.subject(time, events).signal }
            for (name, make) in Self.makers {
                let received = try events(operation, seed, make)
                #expect(received == expected, "\(name), seed \(seed)")
            }
        }
    }

    /// Runs random sources through the operator, while the subscriber pauses twice.
    private func events(_ operation: FailureCase, _ seed: UInt64, _ make: Maker) throws -> Timed {
        var random = SplitMix64(seed: seed)
        let time = TestScheduler()
        let signals = (0..<operation.model().inputs).map { _ in
            var events: Timed = (0..<12).map { .value($0, at: .seconds(Int.random(in: 1...20, using: &random))) }
            events.sort { $0.time < $1.time }
            events.append(TimedEvent(.seconds(20), .ended(Bool.random(using: &random) ? .failed(.broken) : .completed)))
            return make(time, events)
        }
        let subscription = SignalSubscription()
        for _ in 0..<2 {
            let (begin, length) = (Int.random(in: 0...20, using: &random), Int.random(in: 1...6, using: &random))
            time.schedule(after: .seconds(begin)) {
                let token = subscription.pause()
                time.schedule(after: .seconds(length)) { token.dispose() }
            }
        }
        let recorder = time.record(operation.make(signals, time), in: subscription)
        try time.advance(by: .seconds(1_000))
        return recorder.events
    }
}
