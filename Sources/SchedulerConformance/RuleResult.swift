// SPDX-License-Identifier: MIT
/// The result of one rule on one loop.
public struct RuleResult: Sendable, Hashable, CustomStringConvertible {
    /// A broken promise: the expectation, the observation, and the trace before it.
    public struct Failure: Sendable, Hashable {
        /// What the rule expects.
        public var expected: String
        /// What the check observed instead.
        public var seen: String
        /// The steps that the check noted before the failure, oldest first. After a crash, the process's error output.
        public var trace: [String]
    }

    /// The verdict on a rule.
    public enum Verdict: Sendable, Hashable {
        /// The promise holds.
        case passed
        /// The check failed: the promise does not hold, the loop keeps a rule that it declares to break, or the check
        /// crashed, hung or needed an undeclared capability.
        case failed(Failure)
        /// The check was skipped, because the loop lacks a capability that the rule needs. The value is the reason.
        case skipped(String)
        /// The promise does not hold, as the loop's description declares. The value is the reason.
        case deviates(String)
    }

    /// The rule's id.
    public let rule: String
    /// The loop's name.
    public let loop: String
    /// The verdict, with the reason or the failure.
    public let verdict: Verdict
    /// The duration of the check. It is zero if the check was skipped.
    public let duration: Duration

    /// True unless the verdict is `failed`. A skipped rule and a declared deviation count as in order.
    public var isInOrder: Bool {
        if case .failed = verdict { false } else { true }
    }

    /// The parts of the result's text form, without the duration and the trace.
    var parts: [(key: String, text: String)] {
        let verdict: [(key: String, text: String)] =
            switch verdict {
            case .passed: [("verdict", "passed")]
            case .skipped(let reason): [("verdict", "skipped"), ("reason", reason)]
            case .deviates(let reason): [("verdict", "deviates"), ("reason", reason)]
            case .failed(let failure):
                [("verdict", "failed"), ("expected", failure.expected), ("seen", failure.seen)]
            }
        return [("rule", rule), ("loop", loop)] + verdict
    }

    /// The steps before a failure.
    var trace: [String] {
        if case .failed(let failure) = verdict { failure.trace } else { [] }
    }

    /// The rule and its verdict. After a failure, the text contains all details, in several lines.
    public var description: String {
        switch verdict {
        case .passed: return "\(rule) on \(loop): passed"
        case .skipped(let reason): return "\(rule) on \(loop): skipped: \(reason)"
        case .deviates(let reason): return "\(rule) on \(loop): deviates: \(reason)"
        case .failed(let failure):
            let statement = Rule.all.first { $0.id == rule }?.statement
            let lines =
                ["\(rule) on \(loop): failed" + (statement.map { "\n  rule:     \($0)" } ?? "")]
                + ["  expected: \(failure.expected)", "  seen:     \(failure.seen)"]
                + (failure.trace.isEmpty ? [] : ["  trace:"] + failure.trace.map { "    \($0)" })
            return lines.joined(separator: "\n")
        }
    }
}
