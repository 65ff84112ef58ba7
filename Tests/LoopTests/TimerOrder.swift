import LoopTestSupport
import ReactiveCore
import Testing

extension Loops {
    @Suite struct TimerOrder {
        @Test("T4: a delay of zero is the next turn, in order", arguments: LoopKind.all)
        func zero(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let trace = Recorder<Int>()
            loop.execute {
                for number in 0..<100 { loop.schedule(after: .zero) { trace.append(number) } }
            }
            try loop.turns(1)
            #expect(trace.values == [])
            try loop.turns(1)
            #expect(trace.values == Array(0..<100))
        }

        @Test("T5: a negative delay is zero", arguments: LoopKind.all)
        func negative(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let trace = Recorder<Int>()
            loop.execute {
                loop.schedule(after: .seconds(-1)) { trace.append(2) }
                loop.schedule(after: .nanoseconds(Int64.min)) { trace.append(0) }
                _ = loop.schedule(at: .distantPast, options: TimerOptions()) { trace.append(1) }
            }
            try loop.turns(1)
            #expect(trace.values == [])
            try loop.turns(1)
            #expect(trace.values.sorted() == [0, 1, 2])
        }

        @Test("T6: equal deadlines fire in the order in which they were set", arguments: LoopKind.all)
        func equal(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let trace = Recorder<Int>()
            let deadline = loop.now + .milliseconds(5)
            for number in 0..<1000 {
                _ = loop.schedule(at: deadline, options: TimerOptions()) { trace.append(number) }
            }
            try loop.runUntilIdle()
            #expect(trace.values == Array(0..<1000))
        }

        @Test("T7: deadlines fire in their order", arguments: LoopKind.all)
        func different(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let trace = Recorder<Int>()
            let start = loop.now
            for number in (0..<1000).shuffled() {
                _ = loop.schedule(at: start + .microseconds(5 * number), options: TimerOptions()) {
                    trace.append(number)
                }
            }
            try loop.runUntilIdle()
            #expect(trace.values == Array(0..<1000))
        }

        @Test("T15: a repeating timer fires once a turn at most", arguments: LoopKind.all)
        func oncePerTurn(_ kind: LoopKind) throws {
            for repetition in [Repetition.fixedRate(.zero), .fixedRate(.nanoseconds(1)), .fixedDelay(.zero)] {
                let loop = try kind.make()
                let fired = Box(0)
                let timer = loop.schedule(at: .distantPast, repeating: repetition, options: TimerOptions()) {
                    fired.increment()
                    loop.spin(.microseconds(5))
                }
                for turn in 1...50 {
                    try loop.turns(1)
                    #expect(fired.value == turn)
                }
                timer.dispose()
                try loop.turns(2)
                #expect(fired.value == 50)
            }
        }

        @Test("T16: two zero periods alternate, and sockets are served", arguments: LoopKind.all)
        func zeroPeriods(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let pair = SocketPair()
            let counts = Box([0, 0])
            let timers = (0..<2).map { index in
                loop.schedule(at: loop.now, repeating: .fixedRate(.zero), options: TimerOptions()) {
                    let apart = counts.update { counts in
                        counts[index] += 1
                        return abs(counts[0] - counts[1])
                    }
                    if apart > 1 { Issue.record("apart by \(apart)") }
                }
            }
            let received = Box(0)
            let watch = try loop.watch(pair.near, for: .read) { _ in
                if take(1, from: pair.near) == 1, received.increment() == 10 { loop.stop() }
            }
            put("0123456789", to: pair.far)
            try loop.run()
            #expect(counts.value[0] >= 2 && counts.value[1] >= 2)
            for timer in timers { timer.dispose() }
            watch.dispose()
        }

        @Test("T17: huge delays neither trap nor fire nor delay others", arguments: LoopKind.all)
        func huge(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let wrong = Box(0)
            let delays: [Duration] = [
                .nanoseconds(Int64.max), .seconds(Int64.max), .seconds(1 << 40), .seconds(9_000_000_000),
            ]
            var timers: [any Disposable] = []
            for delay in delays {
                for leeway in [Duration.zero, .seconds(1), .seconds(Int64.max)] {
                    timers.append(loop.schedule(after: delay, leeway: leeway) { wrong.increment() })
                    timers.append(loop.schedule(every: delay, leeway: leeway) { wrong.increment() })
                }
            }
            timers.append(loop.schedule(after: .seconds(3600), leeway: .seconds(4_700_000_000)) { wrong.increment() })
            timers.append(
                loop.schedule(at: .distantFuture, options: TimerOptions()) { wrong.increment() }
            )
            let ended = Box(0)
            let all = timers
            loop.schedule(after: .milliseconds(2)) {
                ended.increment()
                for timer in all { timer.dispose() }
            }
            try loop.runUntilIdle()
            #expect(ended.value == 1 && wrong.value == 0)
            #expect(loop.turnCount <= 10)
        }

        @Test("T17: a rate that began at the beginning of time is made up by one firing", arguments: LoopKind.all)
        func distantRate(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let fired = Box(0)
            let timer = loop.schedule(at: .distantPast, repeating: .fixedRate(.seconds(3600)), options: TimerOptions())
            {
                fired.increment()
            }
            try loop.turns(10)
            #expect(fired.value == 2)
            timer.dispose()
        }

        @Test("T21: many timers all fire in order; many cancelled ones leave nothing", arguments: LoopKind.all)
        func many(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let last = Box(-1)
            let start = loop.now
            for number in 0..<20_000 {
                _ = loop.schedule(at: start + .nanoseconds(number * 100), options: TimerOptions()) {
                    let isNext = last.update { last in
                        last += 1
                        return last == number
                    }
                    if !isNext { Issue.record("\(number) out of order") }
                }
            }
            let cancelled = (0..<20_000).map { _ in loop.schedule(after: .seconds(60)) {} }
            for timer in cancelled.shuffled() { timer.dispose() }
            try loop.runUntilIdle()
            #expect(last.value == 19_999)
            #expect(loop.timerCount == 0)
        }
    }
}
