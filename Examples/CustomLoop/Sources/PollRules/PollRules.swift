// SPDX-License-Identifier: MIT
import PollLoop
import SchedulerConformance

/// Checks the loop against the rule book: `swift run PollRules`, or `swift run PollRules --rule T` for the timer rules.
@main
enum PollRules {
    static func main() { Conformance.main([poll]) }

    static let poll = LoopDescription("poll", main: { PollLoop.main }) { name, isOwned in
        try PollLoop(name: name, thread: isOwned ? .owned : .caller)
    }
}
