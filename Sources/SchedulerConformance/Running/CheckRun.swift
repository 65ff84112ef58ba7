// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveSupport

/// One check in its own process, with a time limit and a search for leaks afterwards.
struct CheckRun {
    let rule: Rule
    let description: LoopDescription
    let peers: [LoopDescription]
    let options: RunOptions

    private var scale: Double { description.timeScale * options.timeScale }

    /// The time limit of all runs of the check. If something seems to leak, the check runs again within this limit. Any rule
    /// may have more rounds in a long run.
    var limit: Duration { rule.limit * scale * (options.isLong ? 10 : 1) }

    /// The limit of the time that the process may take. On a simulated machine `limit` is simulated time, which a busy real
    /// machine does not shorten.
    var realLimit: Duration { description.machine == nil ? limit : limit * 5 }

    /// Runs the check and passes the result to `tell`. Call it on the main thread. If the check hangs, the process
    /// exits after `tell`.
    func run(_ tell: @escaping @Sendable (RuleResult) -> Void) {
        let start = Platform.now
        let current = Box(makeCheck())
        // Unhandled failures are noted in the trace, not printed, because many checks provoke failures.
        UnhandledFailure.setHandler { failure in current.value.note(failure.description) }
        let isOver = ParkingSpot()
        let watchdog = SystemThread.orTrap(name: "kit-watchdog") { [self] in
            if isOver.park(nanoseconds: realLimit.saturatedNanoseconds) { return }
            tell(result(late(current.value, "\(realLimit)", "it hangs"), since: start))
            Platform.exit(0)
        }
        let failure = description.machine.map { machine in perform(current, on: machine) } ?? perform(current)
        isOver.unpark()
        watchdog.join()
        tell(result(failure, since: start))
    }

    /// Runs the check on this machine.
    private func perform(_ current: Box<Check>) -> RuleResult.Failure? {
        LibraryWarmUp.run([description] + peers)
        Birth.startCounting()
        return performAll(current)
    }

    /// Runs the check on a simulated machine.
    private func perform(_ current: Box<Check>, on machine: LoopDescription.SimulatedMachine) -> RuleResult.Failure? {
        let outcome = Box<RuleResult.Failure?>(nil)
        Birth.startCounting()
        let obstacle = machine(options.seed, limit) { [self] in
            // Created here, because its times are those of the simulated machine.
            current.value = makeCheck()
            outcome.value = performAll(current)
        }
        return obstacle.map { late(current.value, "\(limit) of simulated time", $0) } ?? outcome.value
    }

    /// The failure of a check that has not ended.
    private func late(_ check: Check, _ limit: String, _ obstacle: String) -> RuleResult.Failure {
        let trace = check.trace
        return check.failure
            ?? RuleResult.Failure(
                expected: "the check ends within \(limit)",
                seen: "\(obstacle); its last step was: \(trace.last ?? "none")",
                trace: trace
            )
    }

    private func performAll(_ current: Box<Check>) -> RuleResult.Failure? {
        let before = ProcessResources.current()
        return once(current.value) ?? checkWhatIsLeft(current, since: before)
    }

    private func makeCheck() -> Check {
        Check(description, peers: peers, seed: options.seed, scale: scale, isLong: options.isLong)
    }

    /// Runs the check once.
    private func once(_ check: Check) -> RuleResult.Failure? {
        let rule = rule
        switch rule.place {
        case .mainThread: check.run(rule)
        case .thread: SystemThread.orTrap(name: "kit-check") { check.run(rule) }.join()
        }
        return check.failure
    }

    /// Checks that everything that the check created has been released. One-time objects of a process are not leaks. So
    /// if something is left, the check runs again, and only growth counts as a leak.
    private func checkWhatIsLeft(_ current: Box<Check>, since before: ProcessResources) -> RuleResult.Failure? {
        if let kept = keptObjects(current.value) { return kept }
        let first = settled(ProcessResources.current(), since: before, within: .milliseconds(20))
        if first.leftSince(before).isEmpty { return nil }
        var (last, left) = (first, [String]())
        for _ in 0..<3 {
            let again = makeCheck()
            current.value = again
            if let failure = once(again) { return failure }
            if let kept = keptObjects(again) { return kept }
            let next = settled(ProcessResources.current(), since: last, within: .seconds(1) * scale)
            left = next.leftSince(last)
            if left.isEmpty { return nil }
            last = next
        }
        return leak(left, current.value)
    }

    /// Finds living loops, and living objects of the check's closures.
    private func keptObjects(_ check: Check) -> RuleResult.Failure? {
        let loops = check.finish()
        let deadline = Platform.now + .seconds(5) * scale
        while true {
            // Compare with the deadline before the search: if the thread is suspended during the search, one more
            // attempt must follow.
            let isLate = Platform.now > deadline
            let left =
                loops.filter { $0.loop != nil }.map { "loop \($0.name), which was disposed" }
                + Birth.left.sorted { $0.key < $1.key }.map { place, count in "\(count) × \(place)" }
            if left.isEmpty { return nil }
            // A thread that is about to exit retains objects for a moment. So does a main queue that is not served.
            if rule.place == .mainThread { check.attempt { try check.mainLoop().runOnce(waiting: false) } }
            if isLate { return leak(left, check) }
            Platform.pause(.microseconds(200))
        }
    }

    /// Waits until the system no longer lists joined threads, which takes a moment.
    private func settled(
        _ resources: ProcessResources,
        since before: ProcessResources,
        within limit: Duration
    ) -> ProcessResources {
        let deadline = Platform.now + limit
        var resources = resources
        while !resources.leftSince(before).isEmpty, Platform.now < deadline {
            Platform.pause(.milliseconds(1))
            resources = ProcessResources.current()
        }
        return resources
    }

    private func leak(_ left: [String], _ check: Check) -> RuleResult.Failure {
        RuleResult.Failure(
            expected: "nothing is left of the resources that the check created",
            seen: "left: " + left.joined(separator: "; "),
            trace: check.trace
        )
    }

    private func result(_ failure: RuleResult.Failure?, since start: LoopInstant) -> RuleResult {
        RuleResult(
            rule: rule.id,
            loop: description.name,
            verdict: Runner.verdict(of: rule, on: description, failure),
            duration: Platform.now - start
        )
    }
}
