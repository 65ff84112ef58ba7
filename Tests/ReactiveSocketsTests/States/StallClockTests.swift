// SPDX-License-Identifier: MIT
import ReactiveSupport
import Testing

@testable import ReactiveSockets

@Suite struct StallClockTests {
    private func wait(_ transferred: Int, _ unacknowledged: Int32 = 0) -> PeerWait {
        PeerWait(transferred: transferred, unacknowledged: unacknowledged, isForReading: true)
    }

    private func outcomes(_ clock: inout PeerClock, _ waits: [PeerWait?]) -> [Bool] {
        waits.map { clock.hasReachedLimit($0) }
    }

    @Test("The fourth check in a row without progress reaches the limit (N27)")
    func reachesLimit() {
        var clock = PeerClock(wait(1))
        #expect(outcomes(&clock, [wait(1), wait(1), wait(1), wait(1)]) == [false, false, false, true])
    }

    @Test("Bytes in either direction, and bytes that the peer acknowledges, are progress (N27)")
    func progress() {
        var clock = PeerClock(wait(1, 9))
        let waits = [wait(1, 9), wait(1, 9), wait(1, 9), wait(2, 9), wait(2, 9), wait(2, 9), wait(2, 9), wait(2, 8)]
        #expect(outcomes(&clock, waits).allSatisfy { !$0 })
        #expect(outcomes(&clock, [wait(2, 8), wait(2, 8), wait(2, 8), wait(2, 8)]) == [false, false, false, true])
    }

    @Test(
        "While the connection does not wait for its peer, no check counts, nor does the first check after that (N27)"
    )
    func exemption() {
        var clock = PeerClock()
        let waits = [nil, nil, nil, nil, nil, wait(1), wait(1), wait(1), wait(1), nil]
        #expect(outcomes(&clock, waits).allSatisfy { !$0 })
        #expect(outcomes(&clock, Array(repeating: wait(1), count: 5)) == [false, false, false, false, true])
    }

    @Test("After a restart, and after the kind of wait has changed, the next check does not count (N27)")
    func restart() {
        var clock = PeerClock(wait(1))
        #expect(outcomes(&clock, [wait(1), wait(1), wait(1)]).allSatisfy { !$0 })
        clock.restart()
        #expect(outcomes(&clock, Array(repeating: wait(1), count: 4)).allSatisfy { !$0 })
        var other = wait(1)
        other.isForSending = true
        #expect(outcomes(&clock, Array(repeating: other, count: 5)) == [false, false, false, false, true])
    }

    @Test("A wait that never changes keeps its last count")
    func saturation() {
        var clock = StallClock<Int, UInt16>(7)
        let last = (0..<70_000).map { _ in clock.check(7) }.last
        #expect(last == 65_535 && clock.check(8) == 0 && clock.check(8) == 1)
    }

    @Test("A stall clock needs at most 16 bytes")
    func size() {
        #expect(MemoryLayout<PeerClock>.size <= 16)
    }
}
