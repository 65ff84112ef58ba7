// SPDX-License-Identifier: MIT
import ConformanceLoops
import Foundation
import SchedulerConformance
import TLSRules
import Testing

/// The rules of TLS in the rule book, on every loop of this build, each in a process of its own.
@Suite struct RuleTests {
    /// CI fixes the seed of random choices. Otherwise each run has another one, which a failure prints.
    private static let seed = ProcessInfo.processInfo.environment["CONFORMANCE_SEED"].flatMap { UInt64($0) }

    @Test(
        "Each rule of TLS holds on each loop, or the loop states its deviation",
        arguments: ConformanceLoops.all.map(\.name),
        TLSRules.all
    )
    func check(_ loop: String, _ rule: Rule) async {
        let result = await rule.check(on: loop, by: "ConformanceProgram", seed: Self.seed)
        #expect(result.isInOrder, "\(result)")
    }
}
