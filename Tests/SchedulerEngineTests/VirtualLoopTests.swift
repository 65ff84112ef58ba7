// SPDX-License-Identifier: MIT
import ConformanceLoops
import LoopTestSupport
import ReactiveCore
import ReactiveSupport
import SchedulerConformance
import Synchronization
import Testing

@testable import SchedulerEngine

@Suite struct VirtualLoopTests {
    private func simulate(_ body: (VirtualLoop, VirtualTime) throws -> Void) throws {
        let time = VirtualTime()
        try VirtualTime.$current.withValue(time) {
            try body(try VirtualLoop(name: "virtual", thread: .caller, clock: VirtualClock()), time)
        }
    }

    @Test("With a virtual clock ten years pass at once, exact to the nanosecond")
    func tenYears() throws {
        try simulate { loop, _ in
            let times = Recorder<Int64>()
            let timer = Box<(any Disposable)?>(nil)
            let day = Duration.seconds(86_400)
            timer.value = loop.schedule(every: day) {
                times.append(loop.now.nanoseconds)
                if times.count == 3650 { timer.value?.dispose() }
            }
            try loop.runUntilIdle()
            #expect(times.values == (1...3650).map { $0 * 86_400_000_000_000 })
        }
    }

    @Test("T13: a fixed rate does not drift, however long the work takes; T14: a fixed delay counts from its end")
    func repetitions() throws {
        for repetition in [Repetition.fixedRate(.nanoseconds(10)), .fixedDelay(.nanoseconds(10))] {
            try simulate { loop, time in
                let starts = Recorder<Int64>()
                let timer = Box<(any Disposable)?>(nil)
                let first = LoopInstant(nanoseconds: 10)
                timer.value = loop.schedule(at: first, repeating: repetition, options: TimerOptions()) {
                    starts.append(time.now.nanoseconds)
                    // The third firing takes 35 ns, the others 2 ns.
                    time.advance(to: time.now + .nanoseconds(starts.count == 3 ? 35 : 2))
                    if starts.count == 6 { timer.value?.dispose() }
                }
                try loop.runUntilIdle()
                let expected: [Int64] =
                    repetition.base == .rate ? [10, 20, 30, 65, 70, 80] : [10, 22, 34, 79, 91, 103]
                #expect(starts.values == expected)
            }
        }
    }

    @Test("T19: timers with leeway share wake-ups")
    func leeway() throws {
        try simulate { loop, time in
            let fired = Box(0)
            for number in 1...1000 {
                let deadline = LoopInstant(nanoseconds: Int64(1_000_000 + number))
                _ = loop.schedule(at: deadline, options: TimerOptions(leeway: .microseconds(10))) {
                    if time.now < deadline { Issue.record("early") }
                    fired.increment()
                }
            }
            try loop.runUntilIdle()
            #expect(fired.value == 1000)
            #expect(time.waits <= 3)
        }
    }

    @Test("X4: any number of posts to a waiting loop cause one wake-up, and posts to a running loop cause none")
    func wakeUps() throws {
        try simulate { loop, time in
            loop.execute { for _ in 0..<100 { loop.execute {} } }
            try loop.runUntilIdle()
            #expect(time.wakeUps == 0)
            // Set what a wait sets.
            loop.core.wakeup.isAwaited = true
            let threads = (0..<4).map { _ in TestThread { for _ in 0..<1000 { loop.execute {} } } }
            for thread in threads { try thread.join() }
            loop.core.wakeup.isAwaited = false
            try loop.runUntilIdle()
            #expect(time.wakeUps == 1)
        }
    }

    @Test("X9, S10: any number of stops counts as one, and a turn runs at most 4096 jobs")
    func pieces() throws {
        try simulate { loop, _ in
            let ran = Box(0)
            for _ in 0..<20_000 {
                loop.execute { ran.increment() }
                loop.stop()
            }
            try loop.run()
            #expect(ran.value == 4096)
            try loop.runUntilIdle()
            #expect(ran.value == 20_000)
            #expect(failure { _ = try VirtualLoop(name: "main", thread: .main) } == .badArgument)
        }
    }

    @Test("A queue does not grow while jobs are submitted as fast as they run")
    func boundedQueue() throws {
        try simulate { loop, _ in
            let isOver = Box(false)
            let most = Box(0)
            @Sendable func again() { if !isOver.value { loop.execute { again() } } }
            for _ in 0..<6000 { loop.execute { again() } }
            for _ in 0..<50 {
                try loop.runOnce(waiting: false)
                most.value = max(most.value, loop.core.state.value.work.count)
            }
            #expect(most.value <= 6000 * 3)
            isOver.value = true
            try loop.runUntilIdle()
        }
    }

    @Test("T21: 50 000 cancelled timers leave nothing behind")
    func cancelled() throws {
        try simulate { loop, _ in
            var timers = (0..<50_000).map { _ in loop.schedule(after: .seconds(60)) {} }
            try loop.runOnce(waiting: false)
            #expect(loop.core.state.value.timers.count == 50_000)
            var random = SplitMix64(seed: 21)
            timers.shuffle(using: &random)
            for timer in timers { timer.dispose() }
            #expect(loop.core.state.value.timers.isEmpty && loop.core.state.value.aliveCount == 0)
        }
    }
}
