// SPDX-License-Identifier: MIT
/// The output of a run: progress, a table at the end, and files.
struct CommandLineReport {
    let call: CommandLineCall
    let runner: Runner
    let loops: [LoopDescription]
    let rules: [Rule]

    /// Runs all checks, prints and writes the requested output, and returns the exit code.
    func run() -> Int32 {
        var results: [RuleResult] = []
        let isWatched = Platform.isTerminal(2)
        let total = loops.count * rules.count
        for loop in loops {
            for rule in rules {
                if isWatched {
                    Program.write("\r\u{1b}[K[\(results.count + 1)/\(total)] \(loop.name) \(rule.id)", to: 2)
                }
                let result = runner.run(rule, on: loop)
                results.append(result)
                if result.isInOrder { continue }
                Program.write((isWatched ? "\r\u{1b}[K" : "") + "\(result)\n", to: 2)
            }
            if !isWatched, !call.isJSON { Program.write("\(loop.name): \(rules.count) rules checked\n", to: 2) }
        }
        if isWatched { Program.write("\r\u{1b}[K", to: 2) }
        let report = Report(loops: loops.map(\.name), rules: rules, seed: runner.options.seed, results: results)
        return write(report)
    }

    private func write(_ report: Report) -> Int32 {
        var problems: [String?] = []
        if call.isJSON, call.jsonFile == nil {
            Program.write(report.json, to: 1)
        } else {
            Program.write(report.table(isColoured: Platform.isTerminal(1)), to: 1)
            for (result, reason, isDeviation) in report.reasons where isDeviation || loops.count == 1 {
                Program.write("\(result.rule) on \(result.loop): \(reason)\n", to: 1)
            }
            // Failures are repeated in full at the end, because many readers see only the end of a long log.
            for failure in report.failures { Program.write("\(failure)\n", to: 1) }
            Program.write("\(report.summary)\n", to: 1)
        }
        if let file = call.jsonFile { problems.append(Program.writeFile(report.json, file)) }
        if let file = call.junitFile { problems.append(Program.writeFile(report.junit, file)) }
        if let file = call.markdownFile { problems.append(Program.writeFile(page(report), file)) }
        for problem in problems.compactMap({ $0 }) { Program.write("cannot write \(problem)\n", to: 2) }
        return report.failures.isEmpty && problems.allSatisfy { $0 == nil } ? 0 : 1
    }

    /// The table as a complete page.
    private func page(_ report: Report) -> String {
        """
        # Conformance

        This page shows which rules of the [rule book](Contract.md) hold on each loop. `make conformance` writes it; do not edit it.

        A rule is skipped if the loop lacks a capability that the rule needs. The number refers to the reason below the table.

        \(report.markdown)
        """
    }
}
