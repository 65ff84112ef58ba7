// SPDX-License-Identifier: MIT
import LoopTestSupport
import ReactiveCore
import ReactiveSignals
import ReactiveTesting
import SchedulerConformance
import Testing

/// The definition of silence, and proof that the timer is never lost.
@Suite struct IdleTimeoutTests {
    private typealias Letters = Signal<Character, TestError>

    private let time = Timeline()
    private var scheduler: TestScheduler { time.scheduler }

    /// Returns when the timeout of a silent source fails, in whole seconds.
    private func failure(_ interval: Duration, _ pauses: [(from: Duration, to: Duration)]) throws -> Duration? {
        let recorder = EventRecorder<Character, TestError>(scheduler)
        for (from, end) in pauses {
            scheduler.schedule(after: from) { [scheduler] in
                let hold = recorder.subscription.pause()
                if end == from { hold.dispose() } else { scheduler.schedule(after: end - from) { hold.dispose() } }
            }
        }
        Letters.never.timeout(idle: interval, raising: .other, on: scheduler).subscribe(
            recorder,
            in: recorder.subscription
        )
        try scheduler.advance(by: .seconds(100))
        #expect(recorder.values.isEmpty)
        return recorder.termination == .failed(.other) ? recorder.events.last?.time : nil
    }

    @Test("A subscriber that pauses and resumes immediately does not extend the timeout")
    func zeroTimePauses() throws {
        let pauses = (1...20).map { (from: Duration.seconds($0), to: Duration.seconds($0)) }
        #expect(try failure(.seconds(5), pauses) == .seconds(5))
    }

    @Test("A pause stops the measurement, and the resume continues it with the remaining time")
    func remainder() throws {
        #expect(try failure(.seconds(5), [(.seconds(2), .seconds(9))]) == .seconds(12))
        #expect(try failure(.seconds(5), [(.seconds(1), .seconds(2)), (.seconds(3), .seconds(5))]) == .seconds(8))
        // One pause longer than the interval, and one longer than several intervals.
        #expect(try failure(.seconds(5), [(.seconds(4), .seconds(60))]) == .seconds(61))
        #expect(try failure(.seconds(5), [(.seconds(0), .seconds(50))]) == .seconds(55))
    }

    @Test("A value during a pause restarts the measurement at the resume")
    func valueInAPause() throws {
        let subject = Subject<Character, TestError>()
        let recorder = scheduler.record(subject.signal.timeout(idle: .seconds(5), raising: .other, on: scheduler))
        try scheduler.advance(by: .seconds(4))
        let hold = recorder.subscription.pause()
        try scheduler.advance(by: .seconds(4))
        subject.send("a")
        try scheduler.advance(by: .seconds(4))
        hold.dispose()
        try scheduler.advance(by: .milliseconds(4999))
        #expect(recorder.values == ["a"] && recorder.termination == nil)
        try scheduler.advance(by: .milliseconds(1))
        #expect(recorder.termination == .failed(.other))
    }

    @Test("During a pause no timer fires repeatedly, however short the interval is", arguments: [0, 1, 5000])
    func quietPause(_ milliseconds: Int) throws {
        let recorder = EventRecorder<Character, TestError>(scheduler)
        let hold = recorder.subscription.pause()
        Letters.never.timeout(idle: .milliseconds(milliseconds), raising: .other, on: scheduler)
            .subscribe(recorder, in: recorder.subscription)
        // A repeating timer would exceed this limit.
        try scheduler.run(limit: 2)
        #expect(recorder.termination == nil)
        try scheduler.advance(by: .seconds(100), limit: 2)
        hold.dispose()
        try scheduler.advance(by: .milliseconds(milliseconds))
        #expect(recorder.termination == .failed(.other))
        #expect(scheduler.isIdle)
    }

    @Test("A pause inside a value leaves the whole interval")
    func pauseInAValue() throws {
        let subject = Subject<Character, TestError>()
        let recorder = EventRecorder<Character, TestError>(scheduler)
        let hold = Box<(any Disposable)?>(nil)
        subject.signal.timeout(idle: .seconds(5), raising: .other, on: scheduler)
            .handleEvents(onValue: { _ in hold.value = recorder.subscription.pause() })
            .subscribe(recorder, in: recorder.subscription)
        try scheduler.advance(by: .seconds(4))
        subject.send("a")
        try scheduler.advance(by: .seconds(40))
        hold.value?.dispose()
        try scheduler.advance(by: .milliseconds(4999))
        #expect(recorder.termination == nil)
        try scheduler.advance(by: .milliseconds(1))
        #expect(recorder.termination == .failed(.other))
    }

    /// Fires its first timer early and on another thread, before `schedule` returns.
    private final class Hasty: TimedScheduler {
        private let time: TestScheduler
        private let count = Box(0)

        init(_ time: TestScheduler) { self.time = time }

        var isCurrent: Bool { time.isCurrent }
        var now: LoopInstant { time.now }

        func execute(_ work: @escaping @Sendable () -> Void) { time.execute(work) }
        func schedule(_ work: @escaping @Sendable () -> Void) -> any Disposable { time.schedule(work) }

        func schedule(at deadline: LoopInstant, options: TimerOptions, _ work: @escaping @Sendable () -> Void)
            -> any Disposable
        {
            count.update { $0 += 1 }
            guard count.value == 1 else { return time.schedule(at: deadline, options: options, work) }
            onThreads(1) { _ in work() }
            return AnyDisposable {}
        }

        func schedule(
            at first: LoopInstant,
            repeating repetition: Repetition,
            options: TimerOptions,
            _ work: @escaping @Sendable () -> Void
        ) -> any Disposable {
            time.schedule(at: first, repeating: repetition, options: options, work)
        }
    }

    @Test("A timer that fires before `schedule` has returned does not lose the next timer")
    func firesWhileItIsSet() throws {
        let recorder = scheduler.record(
            Letters.never.timeout(idle: .seconds(5), raising: .other, on: Hasty(scheduler))
        )
        #expect(!scheduler.isIdle)
        try scheduler.advance(by: .seconds(5))
        #expect(recorder.termination == .failed(.other))
    }

    @Test(
        "The timeout fires after threads stop pausing, resuming and sending",
        arguments: LoopKind.all
    )
    func stress(_ kind: LoopKind) throws {
        let loop = try kind.make()
        let runner = TestThread { try loop.run() }
        for _ in 0..<Platform.rounds(100) {
            let subject = Subject<Int, TestError>()
            let ended = Latch()
            let subscription = SignalSubscription()
            // A timer that is due at once fires while it is being set.
            subject.signal.timeout(idle: .microseconds(50), raising: .other, on: loop)
                .subscribe(in: subscription, onValue: { _ in }, onTermination: { _ in ended.arrive() })
            onThreads(3) { index in
                for number in 0..<200 {
                    if index == 0 { subject.send(number) } else { subscription.pause().dispose() }
                }
            }
            try ended.wait("the timeout")
        }
        loop.stop()
        try runner.join()
    }
}
