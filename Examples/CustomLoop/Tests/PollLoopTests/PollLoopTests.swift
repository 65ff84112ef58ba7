// SPDX-License-Identifier: MIT
import SchedulerConformance
import Testing

@Suite(.serialized) struct PollLoopTests {
    @Test(arguments: Rule.all) func holds(_ rule: Rule) async {
        let result = await rule.check(on: "poll", by: "PollRules")
        #expect(result.isInOrder, "\(result)")
    }
}
