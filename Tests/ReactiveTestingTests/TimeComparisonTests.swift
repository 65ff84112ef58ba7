// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveTesting
import Testing

/// A `Duration` made from a `Double` has a fraction of a nanosecond: above the decimal number, or below it.
@Suite struct TimeComparisonTests {
    static let seconds = [0.1, 0.7, 1.1, 1.2, 2.3, 3.8, 4.1, 60.3, 86_400.7, 1_234_567.891]

    private func whole(_ seconds: Double) -> Duration { .milliseconds(Int64((seconds * 1000).rounded())) }

    @Test("A time in decimal seconds equals the same time in milliseconds", arguments: seconds)
    func decimalTimesAreEqual(_ seconds: Double) {
        let (exact, decimal) = (whole(seconds), Duration.seconds(seconds))
        #expect(TimedEvent<Int, TestError>.value(1, at: decimal) == .value(1, at: exact))
        #expect(TimedEvent<Int, TestError>.value(1, at: .zero - decimal) == .value(1, at: .zero - exact))
        #expect(TimedEvent<Int, TestError>.value(1, at: decimal) != .value(2, at: decimal))
        let (span, other) = (SubscriptionSpan(decimal, decimal), SubscriptionSpan(exact, exact))
        #expect(span == other)
        #expect(span.hashValue == other.hashValue)
        #expect(SubscriptionSpan(decimal) != other)
        #expect(span.description == other.description)
        #expect("\(TimedEvent<Int, TestError>.completed(at: decimal))" == "completed at \(exact)")
    }

    @Test("Different whole nanoseconds differ")
    func neighboursDiffer() {
        let (first, second) = (Duration.nanoseconds(3_800_000_000), Duration.nanoseconds(3_800_000_001))
        #expect(TimedEvent<Int, TestError>.value(1, at: first) != .value(1, at: second))
        #expect(SubscriptionSpan(first) != SubscriptionSpan(second))
        #expect(SubscriptionSpan(.zero, first) != SubscriptionSpan(.zero, second))
    }

    @Test("A delay in decimal seconds is recorded at the time that the test expects", arguments: seconds)
    func delaysAreEqual(_ seconds: Double) throws {
        let time = TestScheduler()
        let recorder = time.record(Signal<Int, Never>.just(1).delay(.seconds(seconds), on: time))
        try time.run()
        #expect(recorder.events.first == .value(1, at: .seconds(seconds)))
    }

    @Test("A source sends at the nearest nanosecond", arguments: seconds)
    func sourcesSendAtTheNearestNanosecond(_ seconds: Double) throws {
        let time = TestScheduler()
        let hot: TestSource<Int, TestError> = time.hot([.value(1, at: .seconds(seconds))])
        let cold: TestSource<Int, TestError> = time.cold([.value(1, at: .seconds(seconds))])
        let recorders = [time.record(hot.signal), time.record(cold.signal)]
        try time.run()
        for recorder in recorders {
            #expect(recorder.events.map(\.time) == [whole(seconds)])
            #expect(recorder.events == [.value(1, at: .seconds(seconds))])
        }
    }

    @Test("An event at the beginning of a frame in decimal seconds is in that frame", arguments: seconds)
    func framesBegin(_ seconds: Double) throws {
        let time = TestScheduler(frame: .seconds(seconds))
        #expect(time.frame == whole(seconds))
        let source = time.cold("-a-(bc)|")
        let recorder = time.record(source.signal)
        let delayed = time.record(Signal<Character, Never>.just("d").delay(whole(seconds) * 3, on: time))
        try time.run()
        try recorder.expect("-a-(bc)|")
        try delayed.expect("---(d|)")
        #expect(source.subscriptions.map { $0.marbles(frame: .seconds(seconds)) } == ["^---!"])
    }
}
