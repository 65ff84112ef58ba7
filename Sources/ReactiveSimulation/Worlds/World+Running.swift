// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSupport
import Synchronization

extension World {
    /// The number of steps at the last instant of a run. Work that always submits new work would otherwise never end.
    private static let lastSteps = 1_000
    /// The simulated time that a turn takes, in nanoseconds.
    private static let turnTime = 20_000

    /// Runs the world for `duration`, then returns. Later calls continue from there. A duration of zero or less runs
    /// only work that is due now. Time ends after 73 years.
    ///
    /// - Throws: The first ``SimulationFailure`` that the code under test has reported. ``SimulationError`` with the code
    ///   `stepLimit` if the limit is reached, `deadlock` if threads wait for each other, `noYieldPoints` if the
    ///   ``interleaving`` needs the trait `Simulation`, and `reentrant` if code of a host or a turn of a loop makes the
    ///   call.
    public func run(for duration: Duration) throws {
        try refuseReentrance("run(for:)")
        try requireYieldPoints()
        let end = min(kernel.now + max(duration, .zero), SimulatedNetwork.end)
        try steps(until: end)
        kernel.advance(to: end)
        try throwFailure()
    }

    /// Like ``run(for:)``, but returns as soon as `isDone` returns true. Time then stands still.
    func run(for duration: Duration, until isDone: () -> Bool) throws {
        let end = min(kernel.now + duration, SimulatedNetwork.end)
        try Watchdog.shared.watch(self) { while !isDone(), try step(until: end) {} }
        try throwFailure()
    }

    /// Runs the world until no loop has work or a timer, and the network is idle.
    ///
    /// - Parameter limit: The maximum duration.
    /// - Returns: Whether the world became idle within `limit`.
    /// - Throws: The errors of ``run(for:)``.
    @discardableResult
    public func runUntilIdle(limit: Duration = .seconds(3_600)) throws -> Bool {
        try refuseReentrance("runUntilIdle(limit:)")
        try requireYieldPoints()
        let end = min(kernel.now + max(limit, .zero), SimulatedNetwork.end)
        try steps(until: end)
        try throwFailure()
        return loops.isEmpty && strands.unfinished.isEmpty && nextInstant == nil
    }

    private func refuseReentrance(_ call: String) throws(SimulationError) {
        if SimulatedProcess.current == nil { return }
        throw SimulationError(
            .reentrant,
            "\(call) was called by code that the world runs: call it from the test, between two runs"
        )
    }

    private func requireYieldPoints() throws(SimulationError) {
        if YieldPoint.isInLocks || interleaving == .wholeTurns { return }
        throw SimulationError(
            .noYieldPoints,
            "an interleaving needs yield points at locks: build the package with the trait Simulation"
        )
    }

    private func steps(until end: LoopInstant) throws {
        try Watchdog.shared.watch(self) {
            var lastSteps = 0
            while lastSteps < Self.lastSteps, try step(until: end) {
                if kernel.now >= end { lastSteps += 1 }
            }
        }
    }

    /// Performs one step. Returns false if nothing happens until `end`, or if the code under test has failed.
    func step(until end: LoopInstant) throws -> Bool {
        if hasFailed { return false }
        let now = kernel.now
        if now > end { return false }
        try countStep()
        if try takeStep(at: now, isLate: false) {
            let spent = 1 + loops.random(below: Self.turnTime)
            kernel.advance(to: min(end, now.advanced(byNanoseconds: Int64(spent))))
            loops.queueDue(at: kernel.now)
            return true
        }
        guard let next = nextInstant else {
            // A thread may poll for a change that another host or the network has made.
            if try takeStep(at: now, isLate: true) { return true }
            return false
        }
        if next > end { return false }
        kernel.advance(to: next)
        loops.queueDue(at: next)
        return true
    }

    /// Runs a loop or a thread. Returns false if none can run.
    private func takeStep(at now: LoopInstant, isLate: Bool) throws -> Bool {
        if !strands.isActive.load(ordering: .relaxed) {
            guard !isLate, let hosted = loops.takeNext(where: { $0.mayRun(at: now) }) else { return false }
            try takeTurn(of: hosted)
            return true
        }
        switch strands.choose(loops, at: now, isLate: isLate) {
        case nil: return false
        case .turn(let hosted): try takeTurn(of: hosted)
        case .strand(let strand):
            if strands.isDeadlocked { throw deadlock }
            if strand.isAtTurn { state.withLockAtOnce { state in state.turns += 1 } }
            try strands.run(strand)
        }
        return true
    }

    private var deadlock: SimulationError {
        let names = strands.unfinished.map(\.name).joined(separator: ", ")
        return SimulationError(
            .deadlock,
            "seed \(seed), at \(now): these threads wait for each other, or for what never happens: \(names)"
        )
    }

    private func takeTurn(of hosted: HostedLoop) throws {
        state.withLockAtOnce { state in state.turns += 1 }
        if try !hosted.takeTurn() { loops.remove(hosted) }
    }

    /// The next time at which an event, a loop's deadline or the end of a stall is due.
    private var nextInstant: LoopInstant? {
        [kernel.nextEvent, loops.nextDeadline, strands.nextInstant(after: kernel.now)].compactMap { $0 }.min()
    }

    private var hasFailed: Bool { state.withLockAtOnce { state in state.failure != nil } }

    private func throwFailure() throws(SimulationFailure) {
        if let failure { throw failure }
    }

    /// Runs the world until `isDone` or until an instant, because its own thread waits as code of a host.
    func drive(until end: LoopInstant, _ isDone: () -> Bool) {
        while !isDone(), kernel.now < end {
            let progress = SimulatedProcess.runWithout { (try? step(until: end)) ?? false }
            if progress { continue }
            if end != .distantFuture { return kernel.advance(to: end) }
            // Nothing in the world can end the wait, so a thread of the real system must do it.
            YieldPoint.yieldProcessor()
        }
    }

    /// Runs the world until `set` is ready or the deadline of a host's loop is reached. Used when a host's code calls
    /// `run()` on a loop itself.
    func wait(for set: PollSet, on host: SimulatedHost, until deadline: PollDeadline) throws(LoopError) {
        let end: LoopInstant =
            switch deadline {
            case .now: kernel.now
            case .at(let reading): host.clock.instant(of: reading)
            case .never: .distantFuture
            }
        if strands.isInFunction { return strands.block(in: self, until: end) { set.isReady } }
        while !set.isReady, kernel.now < end {
            let progress: Bool
            do {
                progress = try SimulatedProcess.runWithout { try step(until: end) }
            } catch {
                throw LoopError(.systemCall, "\(error)")
            }
            if progress { continue }
            if end != .distantFuture { return kernel.advance(to: end) }
            throw LoopError(
                .systemCall,
                "a loop of host \(host.name) waits forever: no loop, timer or packet of the world can wake it"
            )
        }
    }
}
