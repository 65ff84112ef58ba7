// SPDX-License-Identifier: MIT
import Glibc
import LoopTestSupport
import ReactiveCore
import ReactiveSignals
import ReactiveSupport
import SchedulerConformance
import SchedulerEngine
import Testing

extension Loops {
    /// No test compares times: a block ends when its report has arrived.
    @Suite struct WatchdogTests {
        @Test("A blocked turn is reported once while it lasts, with the blocking function", arguments: LoopKind.all)
        func reported(_ kind: LoopKind) throws {
            let loop = try kind.make(name: "blocked", thread: .owned)
            let turn = try turnWithStack {
                let block = Block()
                let ends = Recorder<BlockedTurn>()
                let watchdog = try LoopWatchdog(
                    observing: [loop],
                    limit: .milliseconds(20),
                    ended: { turn in
                        // Another turn may have been reported before.
                        guard block.reported.isOpen else { return }
                        ends.append(turn)
                        block.ended.arrive()
                    },
                    block.report
                )
                loop.execute { blockingFunction(until: block.reported) }
                try block.ended.wait("the end")
                watchdog.dispose()
                let turn = try #require(block.turns.values.first)
                #expect(block.turns.count == 1 && ends.count == 1)
                #expect(ends.values[0].duration >= turn.duration && ends.values[0].stack.isEmpty)
                return turn
            }
            #expect(turn.loop == "blocked" && turn.duration >= .milliseconds(20))
            #expect(turn.stack.contains { $0.contains("blockingFunction") }, "\(turn)")
            #expect(turn.description.hasPrefix("loop blocked has not waited for") && turn.missingStack == nil)
            loop.dispose()
        }

        @Test("Each of several watchdogs reports a turn once at its own limit", arguments: LoopKind.all)
        func several(_ kind: LoopKind) throws {
            let loop = try kind.make(thread: .owned)
            // The first turn of a thread may be long.
            try loop.sync()
            let (short, long) = (Block(), Block())
            let first = try LoopWatchdog(observing: [loop], limit: .milliseconds(2), short.report)
            let second = try LoopWatchdog(observing: [loop], limit: .milliseconds(40), long.report)
            let counts = Recorder<Int>()
            try loop.sync {
                blockingFunction(until: short.reported)
                blockingFunction(until: long.reported)
                counts.append(short.turns.count)
                counts.append(long.turns.count)
            }
            #expect(counts.values == [1, 1])
            first.dispose()
            second.dispose()
            loop.dispose()
        }

        @Test("A watchdog that its handler disposes reports nothing afterwards", arguments: LoopKind.all)
        func disposedByHandler(_ kind: LoopKind) throws {
            let loop = try kind.make(thread: .owned)
            let clock = Block()
            let reports = Recorder<BlockedTurn>()
            let own = Box<LoopWatchdog?>(nil)
            let created = Latch()
            own.value = try LoopWatchdog(observing: [loop], limit: .milliseconds(1)) { turn in
                reports.append(turn)
                try? created.wait()
                own.value?.dispose()
                clock.reported.arrive()
            }
            created.arrive()
            loop.execute { blockingFunction(until: clock.reported) }
            try loop.sync()
            #expect(own.value?.isDisposed == true)
            let other = Block()
            let second = try LoopWatchdog(observing: [loop], limit: .milliseconds(20), other.report)
            loop.execute { blockingFunction(until: other.reported) }
            try loop.sync()
            #expect(reports.count == 1 && other.turns.count == 1)
            own.value?.dispose()
            second.dispose()
            loop.dispose()
        }

        @Test("Many short turns, and the time between two runs, are not reported", arguments: LoopKind.all)
        func short(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let reports = Recorder<BlockedTurn>()
            let watchdog = try LoopWatchdog(observing: [loop], limit: .milliseconds(100)) { reports.append($0) }
            let end = loop.now + .milliseconds(250)
            while loop.now < end {
                loop.execute {}
                try loop.runOnce(waiting: false)
            }
            // The loop's thread does not run the loop for several limits.
            loop.spin(.milliseconds(250))
            loop.execute {}
            try loop.runOnce(waiting: false)
            #expect(reports.values.map(\.description) == [])
            watchdog.dispose()
            loop.dispose()
        }

        @Test("A loop run by hand is watched, also by a thread that blocks signals", arguments: LoopKind.all)
        func byHand(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let pool = WorkerPool(name: "runner", maximumThreads: 1)
            let turn = try turnWithStack {
                let block = Block()
                let watchdog = try LoopWatchdog(observing: [loop], limit: .milliseconds(5), block.report)
                loop.execute { blockingFunction(until: block.reported) }
                let failures = Recorder<String>()
                let done = Latch()
                pool.execute {
                    do { try loop.runOnce(waiting: false) } catch { failures.append("\(error)") }
                    done.arrive()
                }
                try done.wait("the run")
                watchdog.dispose()
                #expect(failures.values == [])
                return try #require(block.turns.values.first)
            }
            #expect(turn.stack.contains { $0.contains("blockingFunction") }, "\(turn)")
            loop.dispose()
            pool.dispose()
        }

        @Test("A callback that runs another loop is as long as that run", arguments: LoopKind.all)
        func nested(_ kind: LoopKind) throws {
            let (outer, inner) = (try kind.make(name: "outer"), try kind.make(name: "inner"))
            let reports = Recorder<String>()
            let watchdog = try LoopWatchdog(observing: [inner, outer], limit: .milliseconds(50)) { turn in
                reports.append(turn.loop)
                inner.stop()
            }
            outer.execute { try? inner.run() }
            try outer.runOnce(waiting: false)
            #expect(reports.values == ["outer"])
            watchdog.dispose()
            for loop in [outer, inner] { loop.dispose() }
        }

        @Test("A watchdog ends after its last loop, and reports the last callback", arguments: LoopKind.all)
        func loopDisposed(_ kind: LoopKind) throws {
            let loop = try kind.make(thread: .owned)
            let block = Block()
            let watchdog = try LoopWatchdog(observing: [loop], limit: .milliseconds(5), block.report)
            loop.execute {
                loop.dispose()
                blockingFunction(until: block.reported)
            }
            try waitUntil("the end of the watchdog") { watchdog.isDisposed }
            #expect(block.turns.count == 1)
        }

        @Test("A watchdog does not retain a loop", arguments: LoopKind.all)
        func released(_ kind: LoopKind) throws {
            var loop: (any LoopScheduler)? = try kind.make()
            weak let released = loop
            let watchdog = try LoopWatchdog(observing: [try #require(loop)], limit: .milliseconds(1)) { _ in }
            loop = nil
            #expect(released == nil)
            try waitUntil("the end of the watchdog") { watchdog.isDisposed }
        }

        @Test(
            "The end of a turn is reported, although the loop was disposed during its report",
            arguments: LoopKind.all
        )
        func disposedInReport(_ kind: LoopKind) throws {
            let loop = try kind.make(thread: .owned)
            let (block, ends) = (Latch(), Recorder<BlockedTurn>())
            let watchdog = try LoopWatchdog(observing: [loop], limit: .milliseconds(5), ended: { ends.append($0) }) {
                _ in
                block.arrive()
                // It waits for the loop's thread, so the turn has ended when it returns.
                loop.dispose()
            }
            loop.execute { blockingFunction(until: block) }
            try waitUntil("the end of the watchdog") { watchdog.isDisposed }
            #expect(ends.count == 1)
        }

        @Test("No handler begins after a disposal, and then the handlers are released", arguments: LoopKind.all)
        func disposedInCapture(_ kind: LoopKind) throws {
            // If this thread pauses for longer than a capture lasts, the capture ends in a report. Such an attempt does
            // not count.
            let isSilent = try (0..<3).contains { _ in try reportsAfterDisposal(kind) == 0 }
            #expect(isSilent)
        }

        private func reportsAfterDisposal(_ kind: LoopKind) throws -> Int {
            let loop = try kind.make(thread: .owned)
            try loop.sync()
            let (reports, thread, end) = (Recorder<BlockedTurn>(), Box<ThreadStack.Thread?>(nil), Latch())
            let own = Box<LoopWatchdog?>(nil)
            var token: Recorder<Int>? = Recorder<Int>()
            weak let released = token
            // The handler retains its watchdog.
            own.value = try LoopWatchdog(observing: [loop], limit: .milliseconds(50)) { [token] turn in
                withExtendedLifetime((token, own)) { reports.append(turn) }
            }
            token = nil
            loop.execute {
                SignalMask.blocking(SIGURG) {
                    thread.value = .current
                    try? end.wait()
                }
            }
            // The thread does not handle the signal, so the capture lasts until its limit.
            try waitUntil("a capture") { reports.count > 0 || SignalMask.isPending(SIGURG, for: thread.value) }
            own.value?.dispose()
            try waitUntil("the release of the handlers") { released == nil }
            end.arrive()
            loop.dispose()
            return reports.count
        }

        @Test("A callback that loads a library is reported while it waits for the file", arguments: LoopKind.all)
        func loading(_ kind: LoopKind) throws {
            let turn = try turnWithStack { try loadingTurn(kind) }
            #expect(turn.stack.contains { $0.contains("dlopen") }, "\(turn)")
        }

        private func loadingTurn(_ kind: LoopKind) throws -> BlockedTurn {
            let folder = try TestFolder()
            defer { folder.remove() }
            let path = folder.path("fifo")
            mkfifo(path, 0o600)
            let loop = try kind.make(thread: .owned)
            try loop.sync()
            let block = Block("dlopen")
            let watchdog = try LoopWatchdog(observing: [loop], limit: .milliseconds(5), block.report)
            // The loader holds its lock, and waits until another process writes to the file.
            loop.execute { #expect(dlopen(path, RTLD_NOW) == nil) }
            try block.reported.wait("the report")
            // A blocking call would never return if the loader no longer waits.
            var writer: Int32 = -1
            try waitUntil("the loader, which reads") {
                writer = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
                return writer >= 0
            }
            defer { close(writer) }
            // A child process may have a copy of the writer, so a close would not end the loader's read. These bytes do.
            let noLibrary = [UInt8](repeating: 0, count: 4096)
            #expect(unsafe write(writer, noLibrary, noLibrary.count) == noLibrary.count)
            let isLoaded = Latch()
            loop.execute { isLoaded.arrive() }
            try isLoaded.wait("the end of the loading")
            watchdog.dispose()
            loop.dispose()
            return try #require(block.turns.values.first)
        }

        @Test("A limit of less than a millisecond is refused")
        func refused() throws {
            let loop = try LoopKind.dispatch.make()
            let code = failure { _ = try LoopWatchdog(observing: [loop], limit: .microseconds(999)) { _ in } }
            #expect(code == .badArgument)
            loop.dispose()
        }
    }
}

/// The reports about a function that blocks, and the latch that ends the block.
private final class Block: Sendable {
    let turns = Recorder<BlockedTurn>()
    let reported = Latch()
    let ended = Latch()
    private let function: String

    init(_ function: String = "blockingFunction") { self.function = function }

    var report: @Sendable (BlockedTurn) -> Void {
        { [turns, reported, function] turn in
            guard turn.mayBlock(in: function) else { return }
            turns.append(turn)
            reported.arrive()
        }
    }
}

@inline(never)
private func blockingFunction(until latch: Latch) {
    try? latch.wait("the report")
    withExtendedLifetime(latch) {}
}
