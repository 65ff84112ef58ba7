// SPDX-License-Identifier: MIT
import Glibc
import LoopTestSupport
import ReactiveCore
import SchedulerConformance
import SchedulerEngine
import Testing

extension Loops {
    @Suite struct LoopStatisticsTests {
        @Test(
            "The statistics count what a loop holds, and no longer count it after its release",
            arguments: LoopKind.all
        )
        func counted(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let counting = try #require(loop as? any Counting)
            let before = try counting.statistics()
            #expect(before.timers == 0 && before.watches == 0 && before.signalHandlers == 0 && before.work == 0)
            var ends: [Int32] = [0, 0]
            #expect(pipe(&ends) == 0)
            defer { for end in ends { close(end) } }
            let watch = try loop.watch(ends[0], for: .read) { _ in }
            let timer = loop.schedule(after: .seconds(60)) {}
            let repeating = loop.schedule(every: .seconds(60)) {}
            let signal = try loop.onSignal(.user1) {}
            loop.execute {}
            loop.execute {}
            let during = try counting.statistics()
            #expect(during.timers == 2 && during.watches == 1 && during.signalHandlers == 1 && during.work == 2)
            try loop.runOnce(waiting: false)
            #expect(try counting.statistics().work == 0)
            #expect(try counting.statistics().turns == before.turns + 1)
            for handle in [watch, timer, repeating, signal] as [any Disposable] { handle.dispose() }
            let after = try counting.statistics()
            #expect(after.timers == 0 && after.watches == 0 && after.signalHandlers == 0)
            loop.dispose()
            #expect(failure { _ = try counting.statistics() } == .disposed)
        }

        @Test(
            "Repeating timers that fired in this turn are counted, and disposed ones are not",
            arguments: LoopKind.all
        )
        func fired(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let counting = try #require(loop as? any Counting)
            let counts = Recorder<Int?>()
            let due = loop.now
            let timers = Box<[any Disposable]>([])
            for _ in 0..<3 {
                let timer = loop.schedule(at: due, repeating: .fixedRate(.seconds(60)), options: TimerOptions()) {
                    counts.append(try? counting.statistics().timers)
                    if counts.values.count == 3 {
                        timers.value[0].dispose()
                        counts.append(try? counting.statistics().timers)
                    }
                }
                timers.update { timers in timers.append(timer) }
            }
            try loop.runOnce(waiting: true)
            // The timer whose closure asks is not counted.
            #expect(counts.values == [2, 2, 2, 1])
            #expect(try counting.statistics().timers == 2)
            loop.dispose()
        }

        @Test("A deinit that runs after the turn's timers may read the statistics", arguments: LoopKind.all)
        func going(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let counting = try #require(loop as? any Counting)
            let counts = Recorder<Int?>()
            let due = loop.now
            let timers = Box<[any Disposable]>([])
            for number in 0..<3 {
                let asking = Asking { counts.append(try? counting.statistics().timers) }
                let timer = loop.schedule(at: due, repeating: .fixedRate(.seconds(60)), options: TimerOptions()) {
                    withExtendedLifetime(asking) {}
                    // After a disposal by another thread, the loop releases the closure.
                    if number == 2 { try? TestThread { timers.value[1].dispose() }.join() }
                }
                timers.update { timers in timers.append(timer) }
            }
            try loop.runOnce(waiting: true)
            try loop.runOnce(waiting: false)
            #expect(counts.values == [2])
            loop.dispose()
        }

        @Test("Only work on the loop may read the statistics of a running loop", arguments: LoopKind.all)
        func elsewhere(_ kind: LoopKind) throws {
            let loop = try kind.make(thread: .owned)
            let counting = try #require(loop as? any Counting)
            #expect(failure { _ = try counting.statistics() } == .wrongThread)
            let timers = Box<Int?>(nil)
            let timer = loop.schedule(after: .seconds(60)) {}
            try loop.sync()
            try loop.sync { timers.value = try? counting.statistics().timers }
            #expect(timers.value == 1)
            timer.dispose()
            loop.dispose()
        }
    }
}

/// Calls a closure in its `deinit`.
private final class Asking: Sendable {
    private let ask: @Sendable () -> Void

    init(_ ask: @escaping @Sendable () -> Void) { self.ask = ask }

    deinit { ask() }
}

/// The statistics of a loop on any poller.
private protocol Counting: Sendable {
    func statistics() throws(LoopError) -> LoopStatistics
}

extension PollerLoop: Counting where Back: ~Copyable {}
