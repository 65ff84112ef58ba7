// SPDX-License-Identifier: MIT
import LoopTestSupport
import ReactiveCore
import SchedulerConformance
import SchedulerEngine
import Testing

extension Loops {
    /// Calls on the loop from the `deinit` of an object that a timer's closure holds.
    @Suite struct Deinits {
        @Test("T25: the deinit of a cancelled timer's closure may run the loop", arguments: LoopKind.all)
        func runsTheLoop(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let begin = loop.now
            let timer = {
                let canary = Canary { try? loop.runUntilIdle() }
                return loop.schedule(after: .seconds(60)) { canary.sing() }
            }()
            // In this turn the loop accepts the timer.
            try loop.turns(1)
            timer.dispose()
            #expect(loop.now - begin < .seconds(30))
            loop.dispose()
        }

        @Test("D4: no work runs after a deinit has disposed the loop between two callbacks", arguments: LoopKind.all)
        func disposesTheLoop(_ kind: LoopKind) throws {
            let loop = try kind.make(thread: .owned)
            let (isOver, isCurrent, late, isGone) = (Box(false), Box(false), Box(0), Latch())
            let timer = {
                let canary = Canary {
                    isCurrent.value = loop.isCurrent
                    loop.dispose()
                    isOver.value = true
                    isGone.arrive()
                }
                return loop.schedule(every: .seconds(60)) { canary.sing() }
            }()
            try loop.sync()
            let (isBusy, goOn) = (Latch(), Latch())
            loop.execute {
                isBusy.arrive()
                try? goOn.wait()
            }
            try isBusy.wait()
            // The loop handles both in the next turn, the end of the timer first.
            timer.dispose()
            loop.execute { if isOver.value { late.increment() } }
            goOn.arrive()
            try isGone.wait()
            loop.dispose()
            #expect(isCurrent.value, "the loop is current in a deinit on its thread")
            #expect(late.value == 0)
        }
    }
}
