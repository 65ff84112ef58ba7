/// What came of one rule on one loop.
public struct RuleResult: Sendable, Hashable, CustomStringConvertible {
    /// A promise that was not kept: what the rule expects, what was seen instead, and what had happened until then.
    public struct Failure: Sendable, Hashable {
        /// What the rule expects.
        public var expected: String
        /// What was seen.
        public var seen: String
        /// What the check had done and noted before, oldest first.
        public var trace: [String]
    }

    /// The four ways in which a check ends.
    public enum Verdict: Sendable, Hashable {
        /// The promise holds.
        case passed
        /// It does not; or a declared deviation holds after all; or the check crashed, hung, or skipped itself.
        case failed(Failure)
        /// The loop lacks what the rule needs, and says why.
        case skipped(String)
        /// It does not hold, as the loop's description says, with this reason.
        case deviates(String)
    }

    /// The rule's id.
    public let rule: String
    /// The loop's name.
    public let loop: String
    /// How it ended.
    public let verdict: Verdict
    /// How long it took.
    public let duration: Duration

    /// Whether nothing speaks against the loop: everything but a failure.
    public var isInOrder: Bool {
        if case .failed = verdict { false } else { true }
    }

    /// The rule, and for a failure all that is known about it, in several lines.
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
