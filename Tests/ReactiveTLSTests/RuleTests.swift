// SPDX-License-Identifier: MIT
import ConformanceLoops
import SchedulerConformance
import TLSRules
import Testing

/// The rules of TLS in the rule book, on every loop of this build, each in a process of its own.
@Suite struct RuleTests {
    @Test(
        "Each rule of TLS holds on each loop, or the loop states its deviation",
        arguments: ConformanceLoops.all.map(\.name),
        TLSRules.all
    )
    func check(_ loop: String, _ rule: Rule) async {
        let result = await rule.check(on: loop, by: "ConformanceProgram", seed: ConformanceLoops.seed)
        #expect(result.isInOrder, "\(result)")
    }
}
