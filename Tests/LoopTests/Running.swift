import LoopTestSupport
import ReactiveCore
import SchedulerEngine
import Testing

extension Loops {
    @Suite struct Running {
        @Test("R1: an empty loop is idle at once; run stays until stop", arguments: LoopKind.all)
        func idleAndForever(_ kind: LoopKind) throws {
            let loop = try kind.make()
            try loop.runUntilIdle()
            #expect(loop.turnCount == 0)
            let stopped = Box(false)
            let thread = TestThread {
                loop.spin(.milliseconds(5))
                stopped.value = true
                loop.stop()
            }
            try loop.run()
            #expect(stopped.value)
            try thread.join()
        }

        @Test("R2: stop ends the run after the callback; what is left is kept", arguments: LoopKind.all)
        func keepsWork(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let trace = Recorder<Int>()
            for number in 0..<4 {
                loop.execute {
                    trace.append(number)
                    if number == 1 {
                        loop.stop()
                        loop.execute { trace.append(9) }
                    }
                }
            }
            try loop.run()
            #expect(trace.values == [0, 1])
            try loop.runUntilIdle()
            #expect(trace.values == [0, 1, 2, 3, 9])
        }

        @Test("R3: a stop in a turn keeps that turn from waiting", arguments: LoopKind.all)
        func stopsBeforeWait(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let pair = SocketPair()
            loop.execute { loop.stop() }
            try loop.run()
            loop.schedule(after: .zero) { loop.stop() }
            try loop.run()
            let watch = try loop.watch(pair.near, for: .write) { _ in loop.stop() }
            try loop.run()
            watch.dispose()
        }

        @Test("R4: a stop before the run is one turn that does not wait", arguments: LoopKind.all)
        func sticky(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let pair = SocketPair()
            let trace = Recorder<String>()
            let modes: [() throws -> Void] = [
                { try loop.run() }, { try loop.runUntilIdle() }, { try loop.runOnce(waiting: true) },
            ]
            for run in modes {
                loop.stop()
                loop.stop()
                loop.execute { trace.append("work") }
                loop.execute { loop.execute { trace.append("later") } }
                let watch = try loop.watch(pair.near, for: .write) { _ in trace.append("ready") }
                loop.schedule(after: .zero) { trace.append("timer") }
                try run()
                #expect(trace.values.suffix(3) == ["work", "ready", "timer"])
                watch.dispose()
                try loop.runUntilIdle()
                #expect(trace.values.last == "later")
            }
            loop.stop()
            try loop.run()
            loop.stop()
            try loop.runOnce(waiting: false)
            // Used up by then: this one waits.
            let start = loop.now
            loop.schedule(after: .milliseconds(3)) { loop.stop() }
            try loop.run()
            #expect(loop.now - start >= .milliseconds(3))
        }

        @Test("R5: a stop from another thread wakes a loop that waits", arguments: LoopKind.all)
        func fromElsewhere(_ kind: LoopKind) throws {
            let loop = try kind.make()
            for round in 0..<200 {
                let isRunning = Latch()
                loop.execute { isRunning.arrive() }
                let thread = TestThread {
                    try isRunning.wait()
                    loop.spin(.microseconds(round % 40))
                    loop.stop()
                }
                try loop.run()
                try thread.join()
            }
        }

        @Test("R6: run, stop, run again, a hundred times", arguments: LoopKind.all)
        func again(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let ticks = Box(0)
            let timer = loop.schedule(every: .microseconds(100)) {
                ticks.increment()
                loop.stop()
            }
            for round in 1...100 {
                try loop.run()
                #expect(ticks.value == round)
            }
            timer.dispose()
        }

        @Test("R7: a loop that runs cannot be run, and is none the worse", arguments: LoopKind.all)
        func reentrant(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let after = Box(false)
            @Sendable func refused(_ body: () throws -> Void) {
                let code = failure(body)
                #expect(code == .alreadyRunning)
            }
            loop.execute {
                refused { try loop.run() }
                refused { try loop.runUntilIdle() }
                refused { try loop.runOnce(waiting: false) }
                let other = TestThread {
                    refused { try loop.run() }
                    let watching = failure { _ = try loop.watch(0, for: .read) { _ in } }
                    let listening = failure { _ = try loop.onSignal(.user1) {} }
                    #expect(watching == .wrongThread && listening == .wrongThread)
                }
                do { try other.join() } catch { Issue.record(error) }
                loop.execute { after.value = true }
            }
            try loop.runUntilIdle()
            #expect(after.value)
            let owned = try kind.make(thread: .owned)
            refused { try owned.run() }
            owned.stop()
            try owned.sync()
            owned.dispose()
            #expect(failure { _ = try kind.make(thread: .main) } == .badArgument)
        }

        @Test("R8: runOnce does not wait, or waits for one thing", arguments: LoopKind.all)
        func once(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let far = loop.schedule(after: .seconds(3600)) {}
            try loop.runOnce(waiting: false)
            let ran = Box(0)
            loop.execute { ran.increment() }
            try loop.runOnce(waiting: true)
            #expect(ran.value == 1)
            loop.schedule(after: .milliseconds(2)) { ran.increment() }
            try loop.runOnce(waiting: true)
            #expect(ran.value == 2)
            for round in 0..<100 {
                let thread = TestThread { loop.execute { ran.increment() } }
                try loop.runOnce(waiting: true)
                #expect(ran.value == 3 + round)
                try thread.join()
            }
            far.dispose()
        }

        @Test("R9: a stop keeps later timers and descriptors of its batch from being called", arguments: LoopKind.all)
        func batch(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let trace = Recorder<Int>()
            let deadline = loop.now
            for number in 0..<3 {
                _ = loop.schedule(at: deadline, options: TimerOptions()) {
                    trace.append(number)
                    loop.stop()
                }
            }
            for count in 1...3 {
                try loop.run()
                #expect(trace.values == Array(0..<count))
            }
            let pairs = [SocketPair(), SocketPair()]
            let watches = try pairs.map { pair in
                try loop.watch(pair.near, for: .write) { _ in
                    trace.append(10)
                    loop.stop()
                }
            }
            try loop.run()
            #expect(trace.values == [0, 1, 2, 10])
            for watch in watches { watch.dispose() }
        }

        @Test("R10: idle is: no work, no timer, no watch", arguments: LoopKind.all)
        func idle(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let pair = SocketPair()
            let trace = Recorder<String>()
            let watch = Box<(any DescriptorWatch)?>(nil)
            watch.value = try loop.watch(pair.near, for: .read) { _ in
                trace.append("ready")
                watch.value?.dispose()
                loop.execute { loop.execute { trace.append("work") } }
            }
            loop.schedule(after: .milliseconds(2)) {
                trace.append("timer")
                put("x", to: pair.far)
            }
            try loop.runUntilIdle()
            #expect(trace.values == ["timer", "ready", "work"])
        }
    }
}
