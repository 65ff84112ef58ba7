// SPDX-License-Identifier: MIT
/// All results of a run.
struct Report {
    let loops: [String]
    let rules: [Rule]
    let seed: UInt64
    let results: [RuleResult]

    func result(_ rule: Rule, _ loop: String) -> RuleResult? {
        results.first { $0.rule == rule.id && $0.loop == loop }
    }

    var failures: [RuleResult] { results.filter { !$0.isInOrder } }

    /// A summary in one line.
    var summary: String {
        let passed = results.count { $0.verdict == .passed }
        let (skipped, deviating) = (reasons.filter { !$0.isDeviation }.count, reasons.filter(\.isDeviation).count)
        let seconds = results.reduce(Duration.zero) { $0 + $1.duration }.components.seconds
        return "\(results.count) checks in \(seconds) s with seed \(seed): \(passed) hold, \(failures.count) fail, "
            + "\(deviating) deviate as declared, \(skipped) are skipped"
    }

    /// Every skip and every deviation.
    var reasons: [(result: RuleResult, reason: String, isDeviation: Bool)] {
        results.compactMap { result in
            switch result.verdict {
            case .skipped(let reason): (result, reason, false)
            case .deviates(let reason): (result, reason, true)
            case .passed, .failed: nil
            }
        }
    }
}
