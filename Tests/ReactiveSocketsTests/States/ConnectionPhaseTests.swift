// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import SchedulerConformance
import Testing

@testable import ReactiveSockets

@Suite struct ConnectionPhaseTests {
    private let timers = (0..<3).map { _ in AnyDisposable {} }

    private func instant(_ nanoseconds: Int64) -> LoopInstant { LoopInstant(nanoseconds: nanoseconds) }

    private var closing: ConnectionPhase {
        var phase = ConnectionPhase.established
        _ = phase.beginClosing()
        return phase
    }

    @Test("An established connection is open, and closes once")
    func closes() {
        var phase = ConnectionPhase.established
        #expect(phase.isOpen && !phase.isClosing && !phase.isDiscarding && !phase.canDiscard)
        let first = phase.beginClosing()
        let second = phase.beginClosing()
        #expect(first && !second && phase.isOpen && phase.isClosing && phase.canDiscard)
        let timers = phase.end()
        #expect(timers.isEmpty && !phase.isOpen && !phase.isClosing && !phase.canDiscard)
        let third = phase.beginClosing()
        #expect(!third)
    }

    @Test("An established connection that fails has no timers")
    func fails() {
        var phase = ConnectionPhase.established
        let timers = phase.end()
        #expect(timers.isEmpty && !phase.isOpen)
    }

    @Test("A peer that accepts nothing during four checks in a row has stalled (N24)")
    func checksPerTimeout() {
        var phase = closing
        let early = phase.check(100)
        #expect(!early)
        phase.awaitSending(100, timers[0])
        let isStuck = [100, 100, 100, 90, 90, 90, 90, 90].map { phase.check($0) }
        #expect(isStuck == [false, false, false, false, false, false, false, true])
        let left = phase.end()
        #expect(left.count == 1 && left[0] === timers[0])
    }

    @Test("Discarding follows sending and has a limit (N24)")
    func discards() {
        var phase = closing
        phase.awaitSending(100, timers[0])
        let replaced = phase.beginDiscarding(timers[1])
        #expect(replaced === timers[0] && phase.isDiscarding && phase.isClosing && !phase.canDiscard)
        let look = phase.check(100)
        #expect(!look)
        let isTooMuch = [Closing.discardLimit - 1, 1, 0, 1].map { phase.discard($0) }
        #expect(isTooMuch == [false, false, false, true])
        let left = phase.end()
        #expect(left.count == 1 && left[0] === timers[1])
    }

    @Test("The earliest of several time limits applies, in every phase")
    func deadlines() {
        var phase = closing
        #expect(phase.needsDeadline(at: instant(10)))
        let none = phase.setDeadline(instant(10), timers[0])
        #expect(none == nil)
        #expect(!phase.needsDeadline(at: instant(10)) && !phase.needsDeadline(at: instant(11)))
        _ = phase.beginDiscarding(timers[1])
        #expect(phase.needsDeadline(at: instant(9)))
        let replaced = phase.setDeadline(instant(9), timers[2])
        #expect(replaced === timers[0] && phase.isDiscarding)
        let left = phase.end()
        #expect(left.count == 2 && left[0] === timers[1] && left[1] === timers[2])
    }

    @Test("A phase that is not closing returns the timer")
    func refuses() {
        for var phase in [ConnectionPhase.established, .closed] {
            let discarding = phase.beginDiscarding(timers[0])
            let limited = phase.setDeadline(instant(1), timers[1])
            #expect(discarding === timers[0] && limited === timers[1] && !phase.needsDeadline(at: instant(1)))
            let left = phase.end()
            #expect(left.isEmpty)
        }
    }
}
