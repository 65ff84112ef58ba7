// SPDX-License-Identifier: MIT
import LoopTestSupport
import ReactiveSupport
import SchedulerConformance
import Testing

@testable import ReactiveSockets

/// A sender without a socket. It obeys a ``SendingState`` like a connection, and writes to a kernel that is modelled
/// by a number.
private struct Sender {
    static let limit = 100
    static let watermarks = Watermarks(high: 300, low: 50)

    var state = SendingState()
    private var oneBuffer = 0
    private var backlog = 0
    private(set) var scheduledFlushes = 0
    private(set) var isDelivering = false
    private var turn: UInt64 = 0

    /// The model: the kernel's room, the bytes it has taken, the accepted and dropped bytes, and the last watermark
    /// crossed.
    private(set) var room = 0
    private(set) var taken = 0
    private(set) var accepted = 0
    private(set) var dropped = 0
    private(set) var isAboveHigh = false
    private(set) var wasShort = false
    private(set) var shutDowns = 0

    private mutating func write(_ count: Int) -> Int {
        let written = min(count, room)
        room -= written
        taken += written
        wasShort = written < count
        return written
    }

    mutating func send(_ count: Int) {
        guard state.phase == .open else { return }
        accepted += count
        if count < Self.limit, state.canKeepOneBuffer(isDelivering: isDelivering) {
            state.keepOneBuffer(count)
            oneBuffer = count
        } else {
            switch state.route(count, limit: Self.limit, isDelivering: isDelivering, turn: turn) {
            case .queue: keep(count)
            case .gather: gather(count)
            case .write:
                let written = write(count)
                state.wrote(written)
                backlog += count - written
                if written < count { state.block(keeping: count - written) }
            }
        }
        cross()
    }

    private mutating func keep(_ count: Int) {
        backlog += count
        state.queue(count)
    }

    private mutating func gather(_ count: Int) {
        if state.takeOneBuffer() { swap(&backlog, &oneBuffer) }
        keep(count)
        switch state.nextFlush(limit: Self.limit, isDelivering: isDelivering) {
        case .now: flush()
        case .schedule: scheduledFlushes += 1
        case .later: break
        }
    }

    mutating func flush() {
        if state.takeOneBuffer() {
            let (count, written) = (oneBuffer, write(oneBuffer))
            oneBuffer = 0
            backlog = count - written
            if written == count { state.kernelAcceptedOneBuffer() } else { state.kernelAccepted(written, of: count) }
        } else {
            _ = state.unblock()
            while state.waiting == .backlog {
                let attempted = min(backlog, 64)
                let written = write(attempted)
                backlog -= written
                state.kernelAccepted(written, of: attempted)
            }
        }
        cross()
        if state.isDrained { shutDown() }
    }

    private mutating func shutDown() {
        if state.shutDown() { shutDowns += 1 }
    }

    private mutating func cross() {
        let crossed = state.cross(state.pendingCount, Self.watermarks)
        let waiting = accepted - taken - dropped
        let isAbove = isAboveHigh ? waiting > Self.watermarks.low : waiting >= Self.watermarks.high
        #expect(crossed == (isAbove == isAboveHigh ? nil : isAbove ? .high : .low))
        isAboveHigh = isAbove
    }

    mutating func beginTurn() {
        turn += 1
        for _ in 0..<scheduledFlushes where state.beginScheduledFlush() { flush() }
        scheduledFlushes = 0
    }

    mutating func deliver(_ counts: [Int]) {
        isDelivering = true
        for count in counts { send(count) }
        isDelivering = false
        if state.waiting == .oneBuffer || state.waiting == .backlog { flush() }
    }

    mutating func makeRoom(_ count: Int) {
        room += count
        if state.isBlocked { flush() }
    }

    mutating func finish() {
        if state.phase == .open {
            state.beginEnding()
            _ = state.finish()
        }
        if state.isDrained { shutDown() }
    }

    mutating func fail() {
        dropped += state.drop()
        (oneBuffer, backlog, isAboveHigh) = (0, 0, false)
    }

    func check(_ comment: Comment) {
        let waiting = accepted - taken - dropped
        #expect(state.sent == taken && state.pendingCount == waiting && state.accepted == accepted - dropped, comment)
        #expect(oneBuffer + backlog == waiting, comment)
        #expect((state.waiting == .nothing) == (waiting == 0), comment)
        #expect((state.waiting == .oneBuffer) == (oneBuffer > 0), comment)
        // A delivery in progress, a scheduled flush, or room in the send buffer leads to the write of waiting bytes.
        #expect(waiting == 0 || state.isBlocked || scheduledFlushes == 1, comment)
        #expect(!state.isBlocked || (wasShort && room == 0), comment)
        #expect(scheduledFlushes == (state.flush == .scheduled ? 1 : 0), comment)
        #expect(state.isDrained == (state.phase != .open && waiting == 0), comment)
        #expect(shutDowns == (state.hasFinished ? 1 : 0), comment)
        #expect((state.level == .high) == isAboveHigh, comment)
    }
}

@Suite struct SendingProgramTests {
    @Test("In random programs the counters are correct, all bytes are written later, and the end of stream comes last")
    func programs() {
        for seed in UInt64(1)...500 {
            var random = SplitMix64(seed: seed)
            var sender = Sender()
            func count() -> Int { .random(in: 1...(Bool.random(using: &random) ? 20 : 250), using: &random) }
            for step in 0..<200 {
                switch Int.random(in: 0..<100, using: &random) {
                case 0..<40: sender.send(count())
                case 40..<60: sender.deliver((0..<Int.random(in: 0...4, using: &random)).map { _ in count() })
                case 60..<75: sender.beginTurn()
                case 75..<98: sender.makeRoom(.random(in: 1...400, using: &random))
                case 98: if step > 100 { sender.finish() }
                default: if step > 190 { sender.fail() }
                }
                sender.check("seed \(seed), step \(step)")
            }
            sender.makeRoom(1_000_000)
            sender.beginTurn()
            sender.finish()
            sender.check("seed \(seed), at the end")
            #expect(sender.state.hasFinished && sender.taken == sender.accepted - sender.dropped)
        }
    }
}
