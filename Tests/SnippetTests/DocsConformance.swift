// SPDX-License-Identifier: MIT
import ReactiveCore
import SchedulerConformance
import SchedulerEngine
import Testing

// The snippets of the DocC catalogue of SchedulerConformance that no example program contains.

/// A loop without process signals that breaks one rule.
private func description() -> LoopDescription {
    var mine = LoopDescription("mine") { name, isOwned in
        try EpollLoop(name: name, thread: isOwned ? .owned : .caller)
    }
    mine.absent[.processSignals] = "another library of the process handles all signals"
    mine.deviations["T19"] = "its timers have a resolution of 10 ms"
    mine.timeScale = 2
    return mine
}

@Suite struct DocsConformance {
    @Test func describing() throws {
        let mine = description()
        let handlerRule = try #require(Rule.all.first { rule in rule.id == "G2" })
        let reason = mine.reasonToSkip(handlerRule)
        #expect(reason == "needs process signals: another library of the process handles all signals")
        let timerRule = try #require(Rule.all.first { rule in rule.id == "T19" })
        #expect(mine.reasonToSkip(timerRule) == nil)
    }

    @Test func choosing() {
        let timerRules = Rule.all.filter { rule in rule.id.hasPrefix("T") }
        let withoutPeers = Rule.all.filter { rule in !rule.needs.contains(.sockets) }

        #expect(timerRules.first?.id == "T1")
        #expect(!withoutPeers.isEmpty && withoutPeers.count < Rule.all.count)
    }
}
