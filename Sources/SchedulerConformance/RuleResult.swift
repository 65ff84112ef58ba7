// SPDX-License-Identifier: MIT
/// The result of one rule on one loop.
public struct RuleResult: Sendable, Hashable, CustomStringConvertible {
    /// A broken promise: the expectation, the observation, and the trace until then.
    public struct Failure: Sendable, Hashable {
        /// What the rule expects.
        public var expected: String
        /// What the check observed instead.
        public var seen: String
        /// The steps that the check noted before, oldest first. For a crash, the process's error output.
        public var trace: [String]
    }

    /// The four ways in which a check ends.
    public enum Verdict: Sendable, Hashable {
        /// The promise holds.
        case passed
        /// The promise does not hold, a declared deviation holds, or the check crashed, hung or needed an undeclared
        /// capability.
        case failed(Failure)
        /// The loop lacks a capability that the rule needs, with this reason.
        case skipped(String)
        /// The promise does not hold, as the loop's description declares, with this reason.
        case deviates(String)
    }

    /// The rule's id.
    public let rule: String
    /// The loop's name.
    public let loop: String
    /// The verdict, with the reason or the failure.
    public let verdict: Verdict
    /// The duration of the check; zero if it was skipped.
    public let duration: Duration

    /// Whether the verdict is anything but a failure.
    public var isInOrder: Bool {
        if case .failed = verdict { false } else { true }
    }

    /// The rule, and for a failure all details, in several lines.
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
