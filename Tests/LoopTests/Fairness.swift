import LoopTestSupport
import ReactiveCore
import Testing

extension Loops {
    @Suite struct Fairness {
        @Test("S6: work that always gives itself again delays no timer by more than a turn", arguments: LoopKind.all)
        func timerBesideWork(_ kind: LoopKind) throws {
            for delay in [Duration.microseconds(10), .milliseconds(1)] {
                let loop = try kind.make()
                let late = Box(0)
                let deadline = loop.now + delay
                let isOver = Box(false)
                _ = loop.schedule(at: deadline, options: TimerOptions()) { isOver.value = true }
                @Sendable func again() {
                    if isOver.value { return }
                    if loop.now >= deadline { late.increment() }
                    loop.execute { again() }
                }
                loop.execute { again() }
                try loop.runUntilIdle()
                #expect(late.value <= 1)
            }
        }

        @Test("S7: and stops no socket from being served", arguments: LoopKind.all)
        func socketsBesideWork(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let pair = SocketPair()
            let echoed = Box(0)
            let echo = try loop.watch(pair.near, for: .read) { _ in
                if take(from: pair.near) > 0 { put("x", to: pair.near) }
            }
            let client = try loop.watch(pair.far, for: .read) { _ in
                guard take(from: pair.far) > 0 else { return }
                if echoed.increment() == 1000 { loop.stop() } else { put("x", to: pair.far) }
            }
            @Sendable func again() { if echoed.value < 1000 { loop.execute { again() } } }
            again()
            put("x", to: pair.far)
            try loop.run()
            #expect(echoed.value == 1000)
            echo.dispose()
            client.dispose()
        }

        @Test("S8: a timer that sets itself again at zero starves nobody", arguments: LoopKind.all)
        func zeroTimer(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let pair = SocketPair()
            let seen = Box<Set<String>>([])
            @Sendable func saw(_ what: String) {
                let all = seen.update { seen in
                    seen.insert(what)
                    return seen.count == 3
                }
                if all { loop.stop() }
            }
            @Sendable func again() { _ = loop.schedule(after: .zero) { again() } }
            loop.execute { again() }
            _ = loop.schedule(after: .milliseconds(2)) {
                saw("timer")
                put("x", to: pair.far)
                loop.execute { saw("work") }
            }
            let watch = try loop.watch(pair.near, for: .read) { _ in
                if take(from: pair.near) > 0 { saw("socket") }
            }
            try loop.run()
            #expect(seen.value.count == 3)
            watch.dispose()
        }

        @Test("S9: a descriptor that is always ready starves nobody", arguments: LoopKind.all)
        func alwaysReady(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let pair = SocketPair()
            let other = SocketPair()
            let trace = Recorder<String>()
            put("never read", to: pair.far)
            let greedy = try loop.watch(pair.near, for: .read) { _ in trace.append("greedy") }
            let modest = try loop.watch(other.near, for: .read) { _ in
                _ = take(from: other.near)
                trace.append("modest")
            }
            for turn in 0..<50 {
                put("x", to: other.far)
                loop.execute { trace.append("work") }
                _ = loop.schedule(after: .zero) { trace.append("timer") }
                try loop.turns(1)
                let calls = trace.values.dropFirst(turn * 4)
                #expect(
                    calls.first == "work" && calls.last == "timer"
                        && calls.sorted() == ["greedy", "modest", "timer", "work"]
                )
            }
            greedy.dispose()
            modest.dispose()
        }
    }
}
