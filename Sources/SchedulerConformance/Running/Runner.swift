// SPDX-License-Identifier: MIT
import ReactiveCore

/// Runs rules on loops, one after the other, each in its own process.
struct Runner {
    let loops: [LoopDescription]
    let options: RunOptions

    /// Runs one rule on one loop. Blocks the calling thread.
    func run(_ rule: Rule, on description: LoopDescription) -> RuleResult {
        if let reason = description.reasonToSkip(rule) {
            return RuleResult(rule: rule.id, loop: description.name, verdict: .skipped(reason), duration: .zero)
        }
        let start = Platform.now
        // On a simulated machine, a seed must give the same run in every process.
        if description.machine != nil { Platform.setVariable("SWIFT_DETERMINISTIC_HASHING", to: "1") }
        let run = CheckRun(rule: rule, description: description, peers: loops, options: options)
        var arguments = [CommandLineCall.childMark, "--loop", description.name, "--rule", rule.id]
        arguments += ["--seed", "\(options.seed)", "--time-scale", "\(options.timeScale)"]
        if options.isLong { arguments.append("--long") }
        // A child that hangs exits by itself, and reports its last step. This limit applies to a child that cannot do
        // that.
        let child = Program.run(Program.own, arguments, limit: run.realLimit + .seconds(5) * options.timeScale)
        if let result = ResultLines.decode(child.output), child.isOrderly { return result }
        let failure = RuleResult.Failure(
            expected: "the check ends and reports its result",
            seen: child.ending,
            trace: child.lastWords
        )
        return RuleResult(
            rule: rule.id,
            loop: description.name,
            verdict: Self.verdict(of: rule, on: description, failure),
            duration: Platform.now - start
        )
    }

    /// Returns the verdict for a check's outcome. It depends on the deviations that the loop declares.
    static func verdict(
        of rule: Rule,
        on description: LoopDescription,
        _ failure: RuleResult.Failure?
    ) -> RuleResult.Verdict {
        switch (failure, description.deviations[rule.id]) {
        case (nil, nil): .passed
        case (let failure?, nil): .failed(failure)
        case (.some, let reason?): .deviates(reason)
        case (nil, let reason?):
            .failed(
                RuleResult.Failure(
                    expected: "a deviation, as the loop's description declares: \(reason)",
                    seen: "the rule holds; remove the deviation from the description",
                    trace: []
                )
            )
        }
    }
}

extension Program {
    /// Whether the child exited with 0. A sanitizer's report changes the exit code even if the check has passed.
    fileprivate var isOrderly: Bool { end == .exited(0) }

    /// The beginning and the end of the error output. A crash prints its reason first, a sanitizer its summary last.
    fileprivate var lastWords: [String] {
        let lines = complaints.split(separator: "\n").map { String($0) }
        return lines.count <= 40 ? lines : lines.prefix(20) + ["…"] + lines.suffix(20)
    }

    fileprivate var ending: String {
        switch end {
        case .exited(let code): "its process ended with exit code \(code)"
        case .signalled(let signal): "its process crashed, signal \(signal)"
        case .killed: "its process hung and did not report it, so it was killed"
        case .notStarted(let code): "its process could not be started: error \(code)"
        }
    }
}
