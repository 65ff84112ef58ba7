// SPDX-License-Identifier: MIT
import GuestHosts
import LoopTestSupport
import ReactiveCore
import SchedulerConformance
import SchedulerEngine
import Testing

extension Guests {
    @Suite struct Watchdogs {
        @Test("A callback that blocks a guest is reported with its stack", arguments: GuestKind.all)
        func blocked(_ kind: GuestKind) throws {
            let loop = try kind.make(isOwned: true)
            let turn = try turnWithStack {
                let turns = Recorder<BlockedTurn>()
                let watchdog = try LoopWatchdog(observing: [loop.guest], limit: .milliseconds(5)) { turns.append($0) }
                // The current turn may have begun before the watchdog, on a thread that blocks all signals.
                try loop.sync()
                let (before, began, reported) = (Box(0), Latch(), Latch())
                loop.execute {
                    // The turn of the `sync` above is reported too if its thread pauses.
                    before.value = turns.count
                    began.arrive()
                    blockingCallback(until: reported)
                }
                try began.wait()
                try waitUntil("the report") { turns.count > before.value }
                reported.arrive()
                watchdog.dispose()
                try loop.sync()
                #expect(turns.count == before.value + 1)
                return try #require(turns.values.last)
            }
            #expect(turn.stack.contains { $0.contains("blockingCallback") }, "\(turn)")
            loop.dispose()
        }

        @Test("The time that the host needs for other work is not reported", arguments: GuestKind.all)
        func busyHost(_ kind: GuestKind) throws {
            let loop = try kind.make()
            let turns = Recorder<BlockedTurn>()
            let watchdog = try LoopWatchdog(observing: [loop.guest], limit: .milliseconds(100)) { turns.append($0) }
            for _ in 0..<2 {
                loop.execute {}
                try loop.runOnce(waiting: true)
                loop.spin(.milliseconds(250))
            }
            #expect(turns.values.map(\.description) == [])
            watchdog.dispose()
            loop.dispose()
        }
    }
}

@inline(never)
private func blockingCallback(until latch: Latch) {
    try? latch.wait("the report")
    withExtendedLifetime(latch) {}
}
