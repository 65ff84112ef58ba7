// SPDX-License-Identifier: MIT
import Testing

@testable import SchedulerEngine

/// What a watchdog concludes from observations, without a thread or a clock.
@Suite struct TurnTimerTests {
    private func verdicts(_ observations: [(stamp: UInt64?, load: ThreadLoad?)]) -> [TurnTimer.Verdict] {
        var timer = TurnTimer()
        return observations.map { observation in
            timer.observe(stamp: observation.stamp, interval: 10, limit: 30) { observation.load }
        }
    }

    private func load(_ used: Int64, delay: Int64 = 0, isRunnable: Bool = true) -> ThreadLoad {
        ThreadLoad(used: used, delay: delay, isRunnable: isRunnable)
    }

    @Test("A turn is reported once when it has reached the limit, and its end once")
    func once() {
        let verdicts = verdicts([4, 4, 4, 4, 4, 4, 6, nil, 6].map { ($0, nil) })
        #expect(
            verdicts == [
                .nothing, .nothing, .nothing, .blocked(30), .nothing, .nothing, .ended(50), .nothing, .nothing,
            ]
        )
    }

    @Test("A turn that changes between observations, and a loop that waits, are not reported")
    func changing() {
        let stamps: [UInt64?] = [2, 2, 2, 4, 4, 4, nil, 4, 4, 4, 8, nil, nil, nil, nil, nil]
        #expect(verdicts(stamps.map { ($0, nil) }).allSatisfy { $0 == .nothing })
    }

    @Test("The time for which the thread has waited for a processor does not count")
    func delayed() {
        // It has waited for 20 of 40, then runs on.
        let loads = [0, 0, 5, 10, 20, 30].enumerated().map { index, used in
            load(Int64(used), delay: index < 2 ? 0 : index == 2 ? 5 : 20)
        }
        #expect(verdicts(loads.map { (2, $0) }) == Array(repeating: .nothing, count: 5) + [.blocked(30)])
    }

    @Test("A thread that is runnable but gets no processor is not reported until it has run")
    func starved() {
        let starved = Array(repeating: load(7), count: 10)
        let ran = [load(8, delay: 90), load(18, delay: 90), load(28, delay: 90)]
        #expect(verdicts((starved + ran).map { (2, $0) }) == Array(repeating: .nothing, count: 12) + [.blocked(30)])
    }

    @Test("A thread that sleeps in a callback is reported although it uses no processor")
    func sleeping() {
        let loads = Array(repeating: load(7, isRunnable: false), count: 4)
        #expect(verdicts(loads.map { (2, $0) }).last == .blocked(30))
    }

    @Test("After a stop of the process, the time of a turn counts from zero")
    func startedOver() {
        var timer = TurnTimer()
        for _ in 0..<3 { #expect(timer.observe(stamp: 2, interval: 10, limit: 30) { nil } == .nothing) }
        timer.startOver()
        let verdicts = (0..<3).map { _ in timer.observe(stamp: 2, interval: 10, limit: 30) { nil } }
        #expect(verdicts == [.nothing, .nothing, .blocked(30)])
        timer.startOver()
        #expect(timer.observe(stamp: 2, interval: 10, limit: 30) { nil } == .nothing)
    }

    @Test("The records of a thread are read, even if its name contains parentheses")
    func records() {
        let load = ThreadLoad(statistics: "78026 2951147 2\n", status: "12 (a) R (b) S 1 2")
        #expect(load == ThreadLoad(used: 78026, delay: 2_951_147, isRunnable: false))
        #expect(ThreadLoad(statistics: "1 2", status: "12 (a) R 1")?.isRunnable == true)
        #expect(ThreadLoad(statistics: "1", status: "12 (a) R 1") == nil)
        #expect(ThreadLoad(statistics: "1 2", status: "") == nil)
        #expect(ThreadLoad(of: ThreadIdentity.kernelNumber)?.isRunnable == true)
        #expect(ThreadLoad(of: -1) == nil)
    }
}
