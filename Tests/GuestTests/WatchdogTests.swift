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
                let reported = Latch()
                let watchdog = try LoopWatchdog(observing: [loop.guest], limit: .milliseconds(5)) { turn in
                    guard turn.mayBlock(in: "blockingCallback") else { return }
                    turns.append(turn)
                    reported.arrive()
                }
                // The current turn may have begun before the watchdog, on a thread that blocks all signals.
                try loop.sync()
                loop.execute { blockingCallback(until: reported) }
                try reported.wait("the report")
                watchdog.dispose()
                try loop.sync()
                #expect(turns.count == 1)
                return try #require(turns.values.last)
            }
            #expect(turn.missingStack == nil, "\(turn)")
            try Guests.waitForEnd { loop.dispose() }
        }

        @Test("The time that the host needs for other work is not reported", arguments: GuestKind.all)
        func busyHost(_ kind: GuestKind) throws {
            let loop = try kind.make()
            let turns = Recorder<BlockedTurn>()
            let watchdog = try LoopWatchdog(observing: [loop.guest], limit: .milliseconds(100)) { turns.append($0) }
            for _ in 0..<2 {
                let ran = Box(false)
                loop.execute { ran.value = true }
                try loop.turns { ran.value }
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
