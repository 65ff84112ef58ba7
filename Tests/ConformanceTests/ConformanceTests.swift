// SPDX-License-Identifier: MIT
import ConformanceLoops
import Foundation
import Glibc
import LoopTestSupport
import SchedulerConformance
import TLSRules
import Testing

/// The rule book on every loop of this build, with one result for each rule.
///
/// Each check runs in a process that mostly waits, so checks run in parallel.
@Suite struct ConformanceTests {
    @Test(
        "Each rule holds on each loop, or the loop states its deviation",
        arguments: ConformanceLoops.all.map(\.name),
        Rule.all
    )
    func check(_ loop: String, _ rule: Rule) async {
        let result = await rule.check(on: loop, by: "ConformanceProgram", seed: ConformanceLoops.seed)
        #expect(result.isInOrder, "\(result)")
    }

    @Test("S9: holds in a process that may open 256 descriptors")
    func fewDescriptors() async {
        // In a process of its own, because nothing can raise a hard limit again. The processes of the checks inherit it.
        await #expect(processExitsWith: .success) {
            var limits = rlimit(rlim_cur: 256, rlim_max: 256)
            let code = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits)
            #expect(code == 0)
            let rule = try #require(Rule.all.first { rule in rule.id == "S9" })
            for loop in LoopKind.all {
                let result = await rule.check(on: loop.rawValue, by: "ConformanceProgram")
                #expect(result.isInOrder, "\(result)")
            }
        }
    }

    @Test("Docs/Contract.md states every rule word for word")
    func book() throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let file = folder.deletingLastPathComponent().appendingPathComponent("Docs/Contract.md")
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        let rows = lines.filter {
            $0.wholeMatch(of: /\| [A-Z]+[0-9]+ \| (required|optional|stochastic) \| .* \|/) != nil
        }
        let (ofTLS, others) = (rows.filter { $0.hasPrefix("| TLS") }, rows.filter { !$0.hasPrefix("| TLS") })
        for (rows, rules) in [(others, Rule.all), (ofTLS, TLSRules.all)] {
            #expect(rows.map { String($0) } == rules.map { "| \($0.id) | \($0.level.rawValue) | \($0.statement) |" })
        }
        let rules = Rule.all + TLSRules.all
        #expect(Set(rules.map(\.id)).count == rules.count)
    }
}
