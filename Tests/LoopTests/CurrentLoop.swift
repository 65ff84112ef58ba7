import LoopTestSupport
import ReactiveCore
import ReactiveSupport
import SchedulerEngine
import Testing

extension Loops {
    @Suite struct CurrentLoop {
        @Test("C1: work, timers and descriptors see their loop as the current one", arguments: LoopKind.all)
        func inside(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let pair = SocketPair()
            let seen = Recorder<Bool>()
            @Sendable func look() { seen.append(loop.isCurrent && CurrentScheduler.value === loop) }
            loop.execute { look() }
            _ = loop.schedule { look() }
            loop.schedule(after: .zero) { look() }
            let watch = try loop.watch(pair.near, for: .write) { _ in look() }
            #expect(!loop.isCurrent && CurrentScheduler.value == nil)
            loop.execute {
                let other = TestThread { #expect(!loop.isCurrent && CurrentScheduler.value == nil) }
                do { try other.join() } catch { Issue.record(error) }
            }
            try loop.turns(1)
            watch.dispose()
            #expect(seen.values == [true, true, true, true])
            #expect(!loop.isCurrent && CurrentScheduler.value == nil)
        }

        @Test("C2: a loop that runs inside another's work puts the outer one back", arguments: LoopKind.pairs)
        func nested(_ first: LoopKind, _ second: LoopKind) throws {
            let outer = try first.make()
            let inner = try second.make()
            let trace = Recorder<String>()
            @Sendable func look() {
                trace.append(outer.isCurrent ? "outer" : inner.isCurrent ? "inner" : "none")
            }
            outer.execute {
                look()
                inner.execute { look() }
                do { try inner.runUntilIdle() } catch { Issue.record(error) }
                look()
            }
            try outer.runUntilIdle()
            look()
            #expect(trace.values == ["outer", "inner", "outer", "none"])
        }

        @Test("C3: a new thread is not in a loop that is over", arguments: LoopKind.all)
        func noOldIdentity(_ kind: LoopKind) throws {
            var loops: [any LoopScheduler] = []
            for _ in 0..<20 {
                let loop = try kind.make(thread: .owned)
                try loop.sync()
                loop.dispose()
                loops.append(loop)
                let all = loops
                try TestThread { for loop in all { #expect(!loop.isCurrent) } }.join()
            }
        }
    }

    @Suite struct KeepingAlive {
        @Test("K1: what does not keep the loop alive does not; setting it is not counted", arguments: LoopKind.all)
        func notCounted(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let pair = SocketPair()
            let reading = try loop.watch(pair.near, for: .read) { _ in }
            let writing = try loop.watch(pair.near, for: []) { _ in }
            let signal = try loop.onSignal(.windowChange) {}
            let timer = loop.schedule(
                at: loop.now + .seconds(3600),
                options: TimerOptions(keepsLoopAlive: false)
            ) {}
            #expect(reading.keepsLoopAlive && writing.keepsLoopAlive && !signal.keepsLoopAlive)
            for _ in 0..<2 {
                reading.keepsLoopAlive = false
                writing.keepsLoopAlive = false
                signal.keepsLoopAlive = false
            }
            try loop.runUntilIdle()
            for handle in [reading, writing, signal] as [any LoopHandle] {
                handle.keepsLoopAlive = true
                handle.keepsLoopAlive = true
                let ended = Box(false)
                _ = loop.schedule(after: .milliseconds(1)) {
                    ended.value = true
                    handle.keepsLoopAlive = false
                }
                try loop.runUntilIdle()
                #expect(ended.value)
            }
            let handle = try #require(timer as? any LoopHandle)
            handle.keepsLoopAlive = true
            loop.schedule(after: .milliseconds(1)) { handle.dispose() }
            try loop.runUntilIdle()
            #expect(handle.isDisposed)
            for handle in [reading, writing, signal] as [any LoopHandle] { handle.dispose() }
            try loop.runUntilIdle()
        }

        @Test("K2: and is still called while something else keeps the loop alive", arguments: LoopKind.all)
        func stillCalled(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let pair = SocketPair()
            let trace = Recorder<String>()
            let watch = try loop.watch(pair.near, for: .write) { _ in
                if trace.count == 0 { trace.append("ready") }
            }
            watch.keepsLoopAlive = false
            _ = loop.schedule(at: loop.now + .milliseconds(1), options: TimerOptions(keepsLoopAlive: false)) {
                trace.append("timer")
            }
            loop.schedule(after: .milliseconds(5)) { trace.append("end") }
            try loop.runUntilIdle()
            #expect(trace.values == ["ready", "timer", "end"])
            watch.dispose()
        }

        @Test("K3: the loop's own descriptors do not keep it alive", arguments: LoopKind.all)
        func ownDescriptors(_ kind: LoopKind) throws {
            let loop = try kind.make()
            try loop.runUntilIdle()
            let thread = TestThread { loop.execute {} }
            try thread.join()
            try loop.runUntilIdle()
            // A deadline makes the back ends set up a descriptor for it.
            loop.schedule(after: .milliseconds(1)) {}
            try loop.runUntilIdle()
            try loop.runUntilIdle()
        }
    }
}
