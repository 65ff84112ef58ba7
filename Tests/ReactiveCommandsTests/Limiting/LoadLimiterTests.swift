// SPDX-License-Identifier: MIT
import LoopTestSupport
import ReactiveCommands
import ReactiveCore
import ReactiveSignals
import ReactiveTesting
import SchedulerConformance
import Testing

/// A limiter, and commands that share it, in virtual time.
@Suite struct LoadLimiterTests {
    private typealias Outcome = CommandError<TestError>
    private let clock = TestScheduler(frame: .milliseconds(1))

    private func limiter(_ count: Int) -> LoadLimiter {
        LoadLimiter(on: clock, concurrency: ConcurrencyLimit(initial: count, minimum: count, maximum: count)) { error in
            error as? TestError == .broken
        }
    }

    @Test("Executions beyond the limit are rejected, and their work is not called")
    func rejects() {
        let (work, limiter) = (ManualWork(), limiter(2))
        let command = work.command(.concurrent().limited(by: limiter))
        let rejections = command.rejections.log()
        let logs = (1...3).map { command.execute($0).log() }
        #expect(work.inputs == [1, 2])
        #expect(logs[2].end == .failed(.rejected(.overloaded)))
        #expect(rejections.values == [.overloaded])
        #expect(limiter.totals.rejected == 1 && limiter.totals.underWay == 2 && limiter.limit == 2)
        work[0].complete()
        let fourth = command.execute(4).log()
        #expect(work.inputs == [1, 2, 4] && fourth.end == nil)
        work[1].complete()
        work[2].complete()
        #expect(limiter.totals.completed == 3 && limiter.totals.underWay == 0)
    }

    @Test("Each end of an execution frees its slot, with its outcome")
    func outcomes() {
        let (work, limiter) = (ManualWork(), limiter(1))
        let command = work.command(.queue(limit: 1).limited(by: limiter))
        command.execute(1).subscribe(onValue: { _ in }, onTermination: { _ in })
        work[0].fail(.broken)
        #expect(limiter.totals.dropped == 1 && limiter.totals.underWay == 0)
        command.execute(2).subscribe(onValue: { _ in }, onTermination: { _ in })
        work[1].fail(.other)
        #expect(limiter.totals.ignored == 1 && limiter.totals.underWay == 0)
        let subscription = SignalSubscription()
        _ = command.apply(3).log(in: subscription)
        subscription.dispose()
        #expect(limiter.totals.ignored == 2 && limiter.totals.underWay == 0)
        command.execute(4).subscribe(onValue: { _ in }, onTermination: { _ in })
        command.end(.cancel)
        #expect(limiter.totals.ignored == 3 && limiter.totals.underWay == 0)
        #expect(command.execute(5).log().end == .failed(.rejected(.ended)))
        #expect(limiter.totals.ignored == 4 && limiter.totals.underWay == 0)
    }

    @Test("An execution that the command itself rejects or drops frees its slot")
    func rejectedByTheCommand() {
        let (work, limiter) = (ManualWork(), limiter(10))
        let serial = work.command(.serial.limited(by: limiter))
        let dropping = work.command(.queue(limit: 1, whenFull: .dropOldest).limited(by: limiter))
        for number in 0..<3 { serial.execute(number) }
        for number in 0..<4 { dropping.execute(number) }
        #expect(limiter.totals.underWay == 3 && limiter.totals.ignored == 4)
    }

    @Test("Commands share a limiter, and a function is limited too")
    func shared() {
        let (work, limiter) = (ManualWork(), limiter(1))
        let first = work.command(.concurrent().limited(by: limiter))
        let second = Command<Int, Int, TestError>(.concurrent().limited(by: limiter)) { (input: Int) in input }
        #expect(second.execute(1).log().values == [1])
        first.execute(1)
        #expect(second.execute(2).log().end == .failed(.rejected(.overloaded)))
        // The work of one command executes another one.
        let inner = second
        let outer = Command<Int, Int, Outcome>(.concurrent().limited(by: self.limiter(1))) { (input: Int) in
            inner.apply(input)
        }
        #expect(outer.execute(3).log().end == .failed(.failed(.rejected(.overloaded))))
        work[0].complete()
        #expect(outer.execute(3).log().values == [3])
    }

    @Test("An execution that has waited too long is rejected, and the next one begins")
    func expires() throws {
        let work = ManualWork()
        let queueTime = QueueTimeLimit(target: .milliseconds(5), interval: .milliseconds(20))
        let limiter = LoadLimiter(on: clock, concurrency: nil, queueTime: queueTime)
        let command = work.command(.queue(limit: 100).limited(by: limiter))
        let rejections = command.rejections.log()
        let logs = (0..<40).map { command.execute($0).log() }
        // The first interval observes that no request begins without a wait.
        for number in 0..<4 {
            try clock.advance(by: .milliseconds(10))
            let late = command.execute(100 + number)
            late.subscribe(onValue: { _ in }, onTermination: { _ in })
            work[number].complete()
        }
        #expect(limiter.totals.expired == 38, "\(limiter.totals)")
        #expect(rejections.values.allSatisfy { $0 == .overloaded } && rejections.values.count == limiter.totals.expired)
        #expect(logs.last?.end == .failed(.rejected(.overloaded)))
        // A recent request begins.
        #expect(work.inputs.last == 102)
        while command.isExecuting.value { work[work.inputs.count - 1].complete() }
        #expect(limiter.totals.underWay == 0 && limiter.totals.admitted == 44)
    }

    @Test("A request ends once, and an admission that is released ends as ignored")
    func admissions() throws {
        let limiter = limiter(1)
        try #require(limiter.begin()).end(.completed)
        let admission = try #require(limiter.begin())
        #expect(limiter.begin() == nil)
        admission.end(.completed)
        admission.end(.dropped)
        _ = limiter.begin()
        #expect(limiter.totals.completed == 2 && limiter.totals.ignored == 1 && limiter.totals.dropped == 0)
        #expect(limiter.totals.underWay == 0 && limiter.totals.rejected == 1)
    }

    @Test("Two strategies are equal if they have the same limiter")
    func equality() {
        let (one, other) = (limiter(1), limiter(1))
        #expect(CommandStrategy.serial.limited(by: one) == .serial.limited(by: one))
        #expect(Set([CommandStrategy.serial.limited(by: one), .serial.limited(by: other), .serial]).count == 3)
    }

    @Test("Several threads share a limiter: the limit holds, and every slot is freed")
    func threads() throws {
        let limiter = limiter(3)
        let most = Recorder<Int>()
        let threads = (0..<4).map { _ in
            TestThread {
                for _ in 0..<2000 {
                    guard let admission = limiter.begin() else { continue }
                    let underWay = limiter.totals.underWay
                    if underWay > 3 { most.append(underWay) }
                    admission.end(.completed)
                }
            }
        }
        for thread in threads { try thread.join() }
        let totals = limiter.totals
        #expect(most.values == [] && totals.underWay == 0 && totals.admitted == totals.completed)
        #expect(totals.admitted + totals.rejected == 8000)
    }
}
