// SPDX-License-Identifier: MIT
import ConformanceLoops
import Foundation
import SchedulerConformance
import Testing

/// The rule book on every loop of this build, with one result for each rule.
///
/// Each check is a process that mostly waits. Four groups run at the same time, each one check after the other. More would
/// disturb the checks that measure time.
@Suite struct ConformanceTests {
    /// CI fixes the seed of random choices. Otherwise each run has another one, which a failure prints.
    private static let seed = ProcessInfo.processInfo.environment["CONFORMANCE_SEED"].flatMap { UInt64($0) }

    /// Every fourth check, from the one with this number on.
    private static func checks(from number: Int) -> [(String, Rule)] {
        let all = ConformanceLoops.all.flatMap { loop in Rule.all.map { (loop.name, $0) } }
        return stride(from: number, to: all.count, by: 4).map { all[$0] }
    }

    @Test(.serialized, arguments: checks(from: 0))
    func holdsInFirstGroup(_ loop: String, _ rule: Rule) async { await check(rule, on: loop) }

    @Test(.serialized, arguments: checks(from: 1))
    func holdsInSecondGroup(_ loop: String, _ rule: Rule) async { await check(rule, on: loop) }

    @Test(.serialized, arguments: checks(from: 2))
    func holdsInThirdGroup(_ loop: String, _ rule: Rule) async { await check(rule, on: loop) }

    @Test(.serialized, arguments: checks(from: 3))
    func holdsInFourthGroup(_ loop: String, _ rule: Rule) async { await check(rule, on: loop) }

    private func check(_ rule: Rule, on loop: String) async {
        let result = await rule.check(on: loop, by: "ConformanceProgram", seed: Self.seed)
        #expect(result.isInOrder, "\(result)")
    }

    @Test("Docs/Contract.md states every rule word for word")
    func book() throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let file = folder.deletingLastPathComponent().appendingPathComponent("Docs/Contract.md")
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        let rows = lines.filter {
            $0.wholeMatch(of: /\| [A-Z]+[0-9]+ \| (required|optional|stochastic) \| .* \|/) != nil
        }
        #expect(rows.map { String($0) } == Rule.all.map { "| \($0.id) | \($0.level.rawValue) | \($0.statement) |" })
        #expect(Set(Rule.all.map(\.id)).count == Rule.all.count)
    }
}
