// SPDX-License-Identifier: MIT
import ReactiveCommands
import ReactiveTesting
import Testing

/// The events of each strategy, frame by frame.
@Suite struct StrategyTests {
    @Test func serial() throws {
        try StrategyTimeline(.serial).expect(
            "             -ab-c---D--e",
            values: "     -a-ac-c-D--e-e",
            executing: "  01-01-0-1-01-0",
            enabled: "    10-10-1-0-10-1",
            errors: "     ----------x",
            completions: "---c--c------c",
            rejections: " --b"
        )
    }

    @Test("A serial execution continues while the command is disabled")
    func serialDisabledMeanwhile() throws {
        try StrategyTimeline(.serial).expect(
            "             -a--b",
            values: "     -a-a",
            executing: "  01-0",
            enabled: "    10",
            completions: "---c",
            rejections: " ----d",
            disabledFrom: 2
        )
    }

    @Test func concurrent() throws {
        try StrategyTimeline(.concurrent(limit: 2)).expect(
            "             -abc--d",
            values: "     -abab-d-d",
            executing: "  01--0-1-0",
            enabled: "    1-01",
            completions: "---cc---c",
            rejections: " ---b"
        )
    }

    @Test func concurrentWithoutLimit() throws {
        try StrategyTimeline(.concurrent()).expect(
            "             -(ab)c",
            values: "     -(ab)c(ab)c",
            executing: "  01--0",
            enabled: "    1",
            completions: "---(cc)c"
        )
    }

    @Test func queue() throws {
        try StrategyTimeline(.queue(limit: 2)).expect(
            "             -abcde---F--g",
            values: "     -a-(ab)-(bc)-(cd)-(dF)--g-g",
            executing: "  01---------01-0",
            enabled: "    1--(01)01",
            errors: "     -----------x",
            completions: "---c-c-c-c----c",
            rejections: " -----f"
        )
    }

    @Test func queueThatDropsTheOldest() throws {
        try StrategyTimeline(.queue(limit: 1, whenFull: .dropOldest)).expect(
            "             -abcd",
            values: "     -a-(ac)-(cd)-d",
            executing: "  01-----0",
            enabled: "    1",
            completions: "---c-c-c",
            rejections: " ---o"
        )
    }

    @Test func queueThatRunsTwo() throws {
        try StrategyTimeline(.queue(limit: 1, running: 2)).expect(
            "             -abcde",
            values: "     -ab(ac)(bd)(ce)de",
            executing: "  01-----0",
            enabled: "    1--(01)(01)(01)",
            completions: "---ccccc"
        )
    }

    @Test func latest() throws {
        try StrategyTimeline(.latest).expect(
            "             -abc--D-e",
            values: "     -abc-cD-e-e",
            executing: "  01---01---0",
            enabled: "    1",
            completions: "-----c----c"
        )
    }

    @Test func limitsBelowOneCountAsOne() throws {
        #expect(CommandStrategy.concurrent(limit: 0) == .concurrent(limit: 1))
        #expect(CommandStrategy.queue(limit: -1, running: 0) == .queue(limit: 0, running: 1))
        try StrategyTimeline(.queue(limit: 0)).expect(
            "             -ab",
            values: "     -a-a",
            executing: "  01-0",
            enabled: "    10-1",
            completions: "---c",
            rejections: " --b"
        )
    }
}
