import LoopTestSupport
import ReactiveCore
import SchedulerEngine
import Testing

extension Loops {
    @Suite struct Order {
        @Test("S1: work runs once, in the order in which one thread gave it", arguments: LoopKind.all)
        func submissionOrder(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let ran = Recorder<Int>()
            for number in 0..<10_000 {
                if number.isMultiple(of: 2) {
                    loop.execute { ran.append(number) }
                } else {
                    _ = loop.schedule { ran.append(number) }
                }
            }
            try loop.runUntilIdle()
            #expect(ran.values == Array(0..<10_000))
        }

        @Test("S2: work given on the loop never runs before the giving returns", arguments: LoopKind.all)
        func neverInline(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let trace = Recorder<String>()
            loop.execute {
                loop.execute { trace.append("execute") }
                _ = loop.schedule { trace.append("schedule") }
                _ = loop.schedule(after: .zero) { trace.append("timer") }
                trace.append("outer")
            }
            try loop.runUntilIdle()
            #expect(trace.values == ["outer", "execute", "schedule", "timer"])
        }

        @Test("S3: work scheduled from inside runs in a later turn, after a poll", arguments: LoopKind.all)
        func laterTurn(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let pair = SocketPair()
            let trace = Recorder<String>()
            let watch = try loop.watch(pair.near, for: .read) { _ in
                _ = take(from: pair.near)
                trace.append("ready")
            }
            loop.execute {
                trace.append("a")
                put("x", to: pair.far)
                loop.execute { trace.append("inner") }
            }
            loop.execute { trace.append("b") }
            try loop.turns(1)
            #expect(trace.values == ["a", "b", "ready"])
            try loop.turns(1)
            #expect(trace.values == ["a", "b", "ready", "inner"])
            watch.dispose()
        }

        @Test("S4: a turn is work, then descriptors, then timers", arguments: LoopKind.all)
        func fixedOrder(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let pair = SocketPair()
            let trace = Recorder<String>()
            for _ in 0..<3 {
                _ = loop.schedule(after: .zero) { trace.append("timer") }
                let watch = try loop.watch(pair.near, for: .write) { _ in trace.append("ready") }
                loop.execute { trace.append("work") }
                try loop.turns(1)
                watch.dispose()
            }
            #expect(trace.values == Array(repeating: ["work", "ready", "timer"], count: 3).flatMap { $0 })
        }

        @Test("S5: work in its order, then delays by deadline", arguments: LoopKind.all)
        func mixed(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let trace = Recorder<Int>()
            loop.execute {
                let start = loop.now
                loop.execute { trace.append(0) }
                _ = loop.schedule(at: start + .milliseconds(4), options: TimerOptions()) { trace.append(2) }
                _ = loop.schedule(at: start + .milliseconds(2), options: TimerOptions()) { trace.append(1) }
                loop.execute { trace.append(4) }
            }
            try loop.runUntilIdle()
            #expect(trace.values == [0, 4, 1, 2])
        }

        @Test("S10: more work than fits a turn does not wait for a timer", arguments: LoopKind.all)
        func overTheLimit(_ kind: LoopKind) throws {
            let loop = try kind.make(thread: .owned)
            let far = loop.schedule(after: .seconds(3600)) {}
            let done = Latch(20_000)
            for _ in 0..<20_000 { loop.execute { done.arrive() } }
            try done.wait()
            far.dispose()
            loop.dispose()
        }

        @Test("S11: a chain of work from inside, 100 000 deep, on a constant stack", arguments: LoopKind.all)
        func chain(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let left = Box(scaled(100_000))
            @Sendable func step() {
                let isOver = left.update { left in
                    left -= 1
                    return left == 0
                }
                if !isOver { loop.execute { step() } }
            }
            loop.execute { step() }
            try loop.runUntilIdle()
            #expect(left.value == 0)
        }

        @Test("S12: a watch or a timer made in a turn is not called in that turn", arguments: LoopKind.all)
        func notInTheSameTurn(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let pair = SocketPair()
            let trace = Recorder<String>()
            let watches = Recorder<any DescriptorWatch>()
            @Sendable func begin(_ name: String) {
                _ = loop.schedule(at: .distantPast, options: TimerOptions()) { trace.append("\(name) timer") }
                do {
                    let watch = try loop.watch(pair.near, for: .write) { _ in trace.append("\(name) watch") }
                    watches.append(watch)
                } catch { Issue.record(error) }
            }
            loop.execute { begin("work") }
            try loop.turns(1)
            #expect(trace.values == [])
            try loop.turns(1)
            #expect(trace.values == ["work watch", "work timer"])
            for watch in watches.values { watch.dispose() }

            _ = loop.schedule(after: .zero) { begin("timer") }
            try loop.turns(1)
            #expect(trace.count == 2)
            try loop.turns(1)
            #expect(trace.values.suffix(2) == ["timer watch", "timer timer"])
            for watch in watches.values { watch.dispose() }

            let first = Box<(any DescriptorWatch)?>(nil)
            first.value = try loop.watch(pair.far, for: .write) { _ in
                first.value?.dispose()
                begin("watch")
            }
            try loop.turns(1)
            #expect(trace.count == 4)
            try loop.turns(1)
            #expect(trace.values.suffix(2) == ["watch watch", "watch timer"])
            for watch in watches.values { watch.dispose() }
        }

        @Test("S13: work given by a descriptor's callback runs in the next turn", arguments: LoopKind.all)
        func fromReadiness(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let pair = SocketPair()
            let ran = Box(0)
            put("x", to: pair.far)
            let watch = try loop.watch(pair.near, for: .read) { _ in
                _ = take(from: pair.near)
                loop.execute { ran.increment() }
            }
            try loop.turns(2)
            #expect(ran.value == 1)
            watch.dispose()
        }
    }
}
