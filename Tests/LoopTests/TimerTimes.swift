import Dispatch
import Glibc
import LoopTestSupport
import ReactiveCore
import SchedulerEngine
import Testing

extension Loops {
    @Suite struct TimerTimes {
        @Test("T1: a timer is never early, whatever else wakes the loop", arguments: LoopKind.all)
        func neverEarly(_ kind: LoopKind) throws {
            let loop = try kind.make(thread: .owned)
            let isOver = Box(false)
            let noise = TestThread {
                while !isOver.value {
                    loop.execute {}
                    usleep(50)
                }
            }
            let delays: [Duration] = [
                .microseconds(1), .microseconds(100), .milliseconds(1), .microseconds(1500), .milliseconds(5),
                .milliseconds(70),
            ]
            let fired = Latch(delays.count * 20)
            let earliest = Recorder<Duration>()
            for delay in delays {
                for _ in 0..<20 {
                    let set = loop.now
                    loop.schedule(after: delay) {
                        earliest.append(loop.now - set - delay)
                        fired.arrive()
                    }
                }
            }
            try fired.wait()
            isOver.value = true
            try noise.join()
            loop.dispose()
            #expect(earliest.values.allSatisfy { over in over >= .zero })
        }

        @Test("T2: a timer set at the end of long work counts from then", arguments: LoopKind.all)
        func afterLongWork(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let times = Recorder<LoopInstant>()
            loop.execute {
                loop.spin(.milliseconds(30))
                times.append(loop.now)
                _ = loop.schedule(after: .milliseconds(40)) { times.append(loop.now) }
            }
            try loop.runUntilIdle()
            #expect(times.values[1] - times.values[0] >= .milliseconds(40))
        }

        @Test("T3: a long callback does not delay a timer that is due after it", arguments: LoopKind.all)
        func behindLongWork(_ kind: LoopKind) throws {
            // The machine may be busy with something else: one try in ten has to be on time.
            var best = Duration.seconds(100)
            for _ in 0..<10 where best > .milliseconds(30) {
                let loop = try kind.make()
                let late = Box(Duration.zero)
                let start = loop.now
                loop.schedule(after: .milliseconds(60)) { late.value = loop.now - start - .milliseconds(60) }
                loop.schedule(after: .milliseconds(20)) { loop.spin(.milliseconds(35)) }
                try loop.runUntilIdle()
                #expect(late.value >= .zero)
                best = min(best, late.value)
            }
            // A stale clock makes it 35 ms.
            #expect(best <= .milliseconds(30))
        }

        @Test("T13: a fixed rate does not drift, and what was missed is made up by one", arguments: LoopKind.all)
        func fixedRate(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let period = Duration.milliseconds(3)
            let times = Recorder<LoopInstant>()
            let first = loop.now + period
            let timer = Box<(any Disposable)?>(nil)
            timer.value = loop.schedule(at: first, repeating: .fixedRate(period), options: TimerOptions()) {
                times.append(loop.now)
                if times.count == 20 { timer.value?.dispose() }
                // Longer than three periods, now and then.
                loop.spin(times.count.isMultiple(of: 5) ? .milliseconds(10) : .microseconds(500))
            }
            try loop.runUntilIdle()
            #expect(times.count == 20)
            for (number, time) in times.values.enumerated() {
                #expect(time >= first + period * number)
            }
        }

        @Test("T14: a fixed delay counts from the end of the work", arguments: LoopKind.all)
        func fixedDelay(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let times = Recorder<LoopInstant>()
            let timer = Box<(any Disposable)?>(nil)
            timer.value = loop.schedule(at: loop.now, repeating: .fixedDelay(.milliseconds(2)), options: TimerOptions())
            {
                times.append(loop.now)
                loop.spin(.milliseconds(3))
                times.append(loop.now)
                if times.count == 10 { timer.value?.dispose() }
            }
            try loop.runUntilIdle()
            let values = times.values
            #expect(values.count == 10)
            for index in stride(from: 2, to: values.count, by: 2) {
                #expect(values[index] - values[index - 1] >= .milliseconds(2))
            }
        }

        @Test("T18: short sleeps do not spin", arguments: LoopKind.all)
        func noSpin(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let delays: [Duration] = [
                .milliseconds(10), .microseconds(100), .microseconds(1), .nanoseconds(10),
                Duration(secondsComponent: 0, attosecondsComponent: 100_000_000),
            ]
            let left = Box(delays)
            @Sendable func next() {
                let delay = left.update { left in left.popLast() }
                if let delay { loop.schedule(after: delay) { next() } }
            }
            next()
            try loop.runUntilIdle()
            #expect(loop.turnCount <= 20)
        }

        @Test("T19: leeway only delays", arguments: LoopKind.all)
        func leeway(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let early = Box(0)
            for number in 1...20 {
                let deadline = loop.now + .microseconds(200 * number)
                _ = loop.schedule(at: deadline, options: TimerOptions(leeway: .milliseconds(number))) {
                    if loop.now < deadline { early.increment() }
                }
            }
            try loop.runUntilIdle()
            #expect(early.value == 0)
        }

        @Test("T20: the clock is the monotonic one", arguments: LoopKind.all)
        func monotonic(_ kind: LoopKind) throws {
            let loop = try kind.make()
            func system() -> Int64 { Int64(DispatchTime.now().uptimeNanoseconds) }
            for _ in 0..<1000 {
                let before = system()
                let now = loop.now.nanoseconds
                #expect(before <= now && now <= system())
            }
        }

        @Test("T22: time passes while the loop does not run", arguments: LoopKind.all)
        func notRunning(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let trace = Recorder<Int>()
            loop.schedule(after: .milliseconds(3)) { trace.append(3) }
            loop.schedule(after: .milliseconds(1)) { trace.append(1) }
            try loop.turns(1)
            loop.spin(.milliseconds(4))
            try loop.turns(1)
            #expect(trace.values == [1, 3])
        }

        @Test("T23: an earlier timer from another thread shortens the wait", arguments: LoopKind.all)
        func shorten(_ kind: LoopKind) throws {
            let loop = try kind.make(thread: .owned)
            let far = loop.schedule(after: .seconds(3600)) {}
            for _ in 0..<10 {
                let fired = Latch()
                try loop.sync()
                let set = loop.now
                loop.schedule(after: .milliseconds(2)) { fired.arrive() }
                try fired.wait()
                #expect(loop.now - set >= .milliseconds(2))
            }
            far.dispose()
            loop.dispose()
        }

        @Test("T24: now is fresh and never goes back", arguments: LoopKind.all)
        func fresh(_ kind: LoopKind) throws {
            let loop = try kind.make()
            loop.execute {
                var last = loop.now
                let start = last
                while last - start < .milliseconds(50) {
                    let now = loop.now
                    if now < last { Issue.record("\(now) after \(last)") }
                    last = now
                }
                #expect(loop.now - start >= .milliseconds(49))
            }
            try loop.runUntilIdle()
        }
    }
}
