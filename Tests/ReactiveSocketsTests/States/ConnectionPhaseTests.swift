// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import SchedulerConformance
import Testing

@testable import ReactiveSockets

@Suite struct ConnectionPhaseTests {
    private let timers = (0..<3).map { _ in AnyDisposable {} }

    private func instant(_ nanoseconds: Int64) -> LoopInstant { LoopInstant(nanoseconds: nanoseconds) }

    @Test("An established connection is open, and closes once")
    func closes() {
        var phase = ConnectionPhase.established
        #expect(phase.isOpen && !phase.isClosing && !phase.isDiscarding && phase.closing == nil)
        let first = phase.beginClosing()
        let second = phase.beginClosing()
        #expect(first && !second && phase.isOpen && phase.isClosing && phase.closing?.isDiscarding == false)
        let timers = phase.end()
        #expect(timers.isEmpty && !phase.isOpen && !phase.isClosing && phase.closing == nil)
        let third = phase.beginClosing()
        #expect(!third)
    }

    @Test("A phase that is not closing has no timers")
    func fails() {
        for var phase in [ConnectionPhase.established, .closed] {
            #expect(phase.closing == nil)
            let timers = phase.end()
            #expect(timers.isEmpty && !phase.isOpen)
        }
    }

    @Test("A peer that accepts nothing during four checks in a row has stalled (N24)")
    func checksPerTimeout() {
        let closing = Closing()
        var phase = ConnectionPhase.closing(closing)
        #expect(!closing.check(100))
        closing.awaitSending(100, timers[0])
        let isStuck = [100, 100, 100, 90, 90, 90, 90, 90].map { closing.check($0) }
        #expect(isStuck == [false, false, false, false, false, false, false, true])
        let left = phase.end()
        #expect(left.count == 1 && left[0] === timers[0])
    }

    @Test("Discarding follows sending and has a limit (N24)")
    func discards() {
        let closing = Closing()
        var phase = ConnectionPhase.closing(closing)
        closing.awaitSending(100, timers[0])
        let replaced = closing.beginDiscarding(timers[1])
        #expect(replaced === timers[0] && phase.isDiscarding && phase.isClosing)
        #expect(!closing.check(100))
        #expect(closing.beginDiscarding(timers[2]) === timers[2])
        let isTooMuch = [Closing.discardLimit - 1, 1, 0, 1].map { closing.discard($0) }
        #expect(isTooMuch == [false, false, false, true])
        let left = phase.end()
        #expect(left.count == 1 && left[0] === timers[1])
    }

    @Test("The earliest of several time limits applies, in every phase")
    func deadlines() {
        let closing = Closing()
        var phase = ConnectionPhase.closing(closing)
        #expect(closing.needsDeadline(at: instant(10)))
        let none = closing.setDeadline(instant(10), timers[0])
        #expect(none == nil)
        #expect(!closing.needsDeadline(at: instant(10)) && !closing.needsDeadline(at: instant(11)))
        _ = closing.beginDiscarding(timers[1])
        #expect(closing.needsDeadline(at: instant(9)))
        let replaced = closing.setDeadline(instant(9), timers[2])
        #expect(replaced === timers[0] && phase.isDiscarding)
        let left = phase.end()
        #expect(left.count == 2 && left[0] === timers[1] && left[1] === timers[2])
    }
}
