import LoopTestSupport
import ReactiveCore
import SchedulerEngine
import Testing

extension Loops {
    @Suite struct TimerEnds {
        @Test("T8: a cancelled timer never fires, and lets go of its closure at once", arguments: LoopKind.all)
        func cancel(_ kind: LoopKind) throws {
            for isRepeating in [false, true] {
                let loop = try kind.make()
                let (gone, fired) = (Box(0), Box(0))
                @Sendable func make() -> any Disposable {
                    let canary = Canary { gone.increment() }
                    let work: @Sendable () -> Void = {
                        canary.sing()
                        fired.increment()
                    }
                    let first = loop.now + .milliseconds(1)
                    return isRepeating
                        ? loop.schedule(
                            at: first,
                            repeating: .fixedRate(.seconds(1)),
                            options: TimerOptions(),
                            work
                        ) : loop.schedule(at: first, options: TimerOptions(), work)
                }
                // Before the loop has heard of it; after that; on the loop.
                make().dispose()
                #expect(gone.value == 1 && fired.value == 0)
                // A machine that stands still for a millisecond between lets it fire: then that was not it.
                var known = make()
                var before = 0
                try loop.turns(1)
                while fired.value > before {
                    known.dispose()
                    before = fired.value
                    known = make()
                    try loop.turns(1)
                }
                let had = gone.value
                known.dispose()
                #expect(gone.value == had + 1)
                loop.execute {
                    make().dispose()
                    #expect(gone.value == had + 2)
                }
                try loop.runUntilIdle()
                loop.spin(.milliseconds(2))
                try loop.turns(2)
                #expect(fired.value == before)
            }
        }

        @Test("T9: a timer may cancel itself; others go on", arguments: LoopKind.all)
        func cancelsItself(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let trace = Recorder<String>()
            let once = Box<(any Disposable)?>(nil)
            let often = Box<(any Disposable)?>(nil)
            once.value = loop.schedule(after: .zero) {
                trace.append("once")
                once.value?.dispose()
            }
            often.value = loop.schedule(every: .milliseconds(1)) {
                trace.append("often")
                if trace.values.count(where: { $0 == "often" }) == 3 { often.value?.dispose() }
            }
            loop.schedule(after: .milliseconds(10)) { trace.append("other") }
            try loop.runUntilIdle()
            // On a busy machine the others may come in any order: missed ticks are made up by one.
            #expect(trace.values.sorted() == ["often", "often", "often", "once", "other"])
            #expect(often.value?.isDisposed == true && once.value?.isDisposed == true)
        }

        @Test("T10: cancelling late, twice, or after the loop is nothing", arguments: LoopKind.all)
        func cancelLate(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let fired = loop.schedule(after: .zero) {}
            let pending = loop.schedule(after: .seconds(60)) {}
            let left = loop.schedule(every: .seconds(60)) {}
            try loop.turns(1)
            #expect(fired.isDisposed && !pending.isDisposed)
            for timer in [fired, pending, pending] { timer.dispose() }
            loop.dispose()
            #expect(left.isDisposed)
            for timer in [fired, pending, left] { timer.dispose() }
        }

        @Test("T11: a timer that is cancelled by another of its batch does not fire", arguments: LoopKind.all)
        func cancelsAnother(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let deadline = loop.now
            let victims = Box<[any Disposable]>([])
            _ = loop.schedule(at: deadline, options: TimerOptions()) {
                for victim in victims.value { victim.dispose() }
            }
            let fired: @Sendable () -> Void = { Issue.record("fired") }
            victims.value = [
                loop.schedule(at: deadline, options: TimerOptions(), fired),
                loop.schedule(at: deadline, repeating: .fixedRate(.zero), options: TimerOptions(), fired),
            ]
            try loop.turns(3)
            try loop.runUntilIdle()
        }

        @Test("T12: cancelled by another thread it has begun, or never will", arguments: LoopKind.all)
        func fromAnotherThread(_ kind: LoopKind) throws {
            let loop = try kind.make(thread: .owned)
            let gone = Box(0)
            for round in 0..<1000 {
                let fired = Box(0)
                let canary = Canary { gone.increment() }
                let delay = Duration.microseconds(round % 60)
                let work: @Sendable () -> Void = {
                    canary.sing()
                    fired.increment()
                }
                let timer =
                    round.isMultiple(of: 2)
                    ? loop.schedule(after: delay, work) : loop.schedule(every: delay, work)
                loop.spin(.microseconds(round % 50))
                timer.dispose()
                // What has begun is over after this, and the loop has heard of the rest.
                try loop.sync()
                let count = fired.value
                #expect(timer.isDisposed)
                if round.isMultiple(of: 2) { #expect(count <= 1) }
                try loop.sync()
                #expect(fired.value == count)
            }
            loop.dispose()
            #expect(gone.value == 1000)
        }

        @Test("T25: cancelling the last timer lets runUntilIdle return", arguments: LoopKind.all)
        func lastTimer(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let timer = loop.schedule(after: .seconds(3600)) {}
            loop.execute { timer.dispose() }
            try loop.runUntilIdle()

            let other = loop.schedule(every: .seconds(3600)) {}
            let isRunning = Latch()
            loop.execute { isRunning.arrive() }
            let thread = TestThread {
                try isRunning.wait()
                other.dispose()
            }
            try loop.runUntilIdle()
            try thread.join()
        }
    }
}
