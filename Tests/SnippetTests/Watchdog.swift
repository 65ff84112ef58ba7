// SPDX-License-Identifier: MIT
import ReactiveCore
import SchedulerEngine

// The snippets of Docs/Watchdog.md. WatchdogTests tests the reports.

private func reportBlocks(of loops: [any LoopScheduler]) throws -> LoopWatchdog {
    try LoopWatchdog(observing: loops, limit: .milliseconds(100)) { turn in
        print(turn)
    }
}

private func watch(_ loop: any LoopScheduler) throws {
    let watchdog = try LoopWatchdog(observing: [loop], limit: .milliseconds(100)) { turn in print(turn) }
    watchdog.dispose()
}
