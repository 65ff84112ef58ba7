// SPDX-License-Identifier: MIT
import ReactiveSupport
import SchedulerEngine
import Testing

@testable import ReactiveSimulation

/// Blocks the calling thread in real time, without a yield point, until another thread opens it.
private final class Gate: Sendable {
    private let spot = ParkingSpot()
    private let isReported = Lock(false)
    let reports = Lock<[String]>([])

    /// Returns false if the report was not that of a blocked thread. A busy machine may be reported before the thread gets
    /// here, and no step is reported twice, so the caller must block another step.
    @inline(never)
    func blockUntilReported() -> Bool {
        SimulatedProcess.runWithout { spot.park() }
        return isReported.withLock { isReported in
            defer { isReported = false }
            return isReported
        }
    }

    /// Blocks turns until this many of them have been reported.
    func block(_ turns: Int, of loop: SimulatedLoop) {
        let left = blockUntilReported() ? turns - 1 : turns
        if left > 0 { loop.execute { self.block(left, of: loop) } }
    }

    /// Lets the blocked thread continue. Adds the report if it is one of that thread.
    func open(_ report: String) {
        if report.contains("blockUntilReported") || report.contains("not known") {
            reports.withLock { reports in reports.append(report) }
            isReported.withLock { isReported in isReported = true }
        }
        spot.unpark()
    }
}

@Suite struct WatchdogTests {
    @Test("A loop whose turn blocks is reported with the stack of its thread")
    func loop() throws {
        let gate = Gate()
        try Simulation.run(seed: 7) { world in
            world.blockingLimit = .milliseconds(50)
            world.onBlock { report in gate.open(report) }
            world.host("server").start { loop in gate.block(1, of: loop) }
            try world.run(for: .seconds(1))
        }
        let reports = gate.reports.withLock { reports in reports }
        #expect(reports.count == 1)
        let report = reports.first ?? ""
        #expect(report.contains("seed 7") && report.contains("loop server/main on host server"), "\(report)")
        #expect(report.contains("blockUntilReported") && !report.contains("has stopped"), "\(report)")
    }

    @Test("A thread that blocks is reported, with the threads that the world has stopped")
    func thread() throws {
        let gate = Gate()
        try Simulation.run(seed: 8) { world in
            world.blockingLimit = .milliseconds(50)
            world.onBlock { report in gate.open(report) }
            let host = world.host("server")
            host.start { _ in }
            host.startThread("owner") {
                host.startThread("waiter") { while !gate.blockUntilReported() { try host.yield() } }
                while gate.reports.withLock({ reports in reports.isEmpty }) { try host.yield() }
            }
            try world.run(for: .seconds(1))
        }
        let reports = gate.reports.withLock { reports in reports }
        #expect(reports.count == 1)
        let report = reports.first ?? ""
        #expect(report.contains("thread server/waiter on host server has blocked"), "\(report)")
        #expect(report.contains("blockUntilReported"), "\(report)")
        #expect(report.contains("may own a lock: thread server/owner on host server"), "\(report)")
    }

    @Test("Each step that blocks is reported once")
    func once() throws {
        let gate = Gate()
        try Simulation.run(seed: 9) { world in
            world.blockingLimit = .milliseconds(20)
            world.onBlock { report in gate.open(report) }
            world.host("server").start { loop in gate.block(2, of: loop) }
            try world.run(for: .seconds(1))
        }
        #expect(gate.reports.withLock { reports in reports.count } == 2)
    }

    @Test("A timer reports a step once, after the limit")
    func timer() {
        let observations = [
            Observation(step: 1, elapsed: 10, interval: 10),
            Observation(step: 1, elapsed: 10, interval: 10),
            Observation(step: 1, elapsed: 10, interval: 10),
            // The next step begins at its first observation.
            Observation(step: 2, elapsed: 100, interval: 100),
            Observation(step: 2, elapsed: 20, interval: 20),
        ]
        #expect(reports(observations) == [false, true, false, false, true])
    }

    @Test("Time during which the process was stopped does not count")
    func stoppedProcess() {
        let observations = [
            Observation(step: 1, elapsed: 3_600_000, interval: 10), Observation(step: 1, elapsed: 10, interval: 10),
        ]
        #expect(reports(observations) == [false, true])
    }

    @Test("A timer without a limit reports nothing, and the time does not count")
    func noLimit() {
        let observations = [
            Observation(step: 1, elapsed: .max, interval: .max, limit: nil),
            Observation(step: 1, elapsed: 10, interval: 10),
            Observation(step: 1, elapsed: .max, interval: .max),
        ]
        #expect(reports(observations) == [false, false, true])
    }

    private struct Observation {
        var step: Int
        var elapsed: Int64
        var interval: Int64
        var limit: Int64? = 20
    }

    /// After which observations a timer reports the step.
    private func reports(_ observations: [Observation]) -> [Bool] {
        var timer = BlockTimer(step: 1)
        return observations.map { seen in
            timer.observe(step: seen.step, elapsed: seen.elapsed, interval: seen.interval, limit: seen.limit)
        }
    }
}
