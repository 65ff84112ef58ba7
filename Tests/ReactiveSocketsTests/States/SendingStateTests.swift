// SPDX-License-Identifier: MIT
import Testing

@testable import ReactiveSockets

@Suite struct SendingStateTests {
    private typealias State = SendingState

    /// Returns the route of `count` bytes, and applies it to the state.
    private func route(
        _ state: inout State,
        _ count: Int = 10,
        isDelivering: Bool = false,
        turn: UInt64 = 1
    ) -> State.Route {
        state.route(count, limit: 100, isDelivering: isDelivering, turn: turn)
    }

    @Test("The first small buffer of a turn is written, and the following ones are gathered")
    func turns() {
        var state = State()
        let routes = [1, 1, 2, 2, 1].map { route(&state, turn: $0) }
        #expect(routes == [.write, .gather, .write, .gather, .write])
        let large = route(&state, 100, turn: 1)
        #expect(large == .write)
    }

    @Test("During a delivery small buffers are gathered, and large ones are written")
    func delivery() {
        var state = State()
        let routes = [1, 99, 100].map { route(&state, $0, isDelivering: true) }
        #expect(routes == [.gather, .gather, .write])
        // The delivery does not count as the turn's first send.
        let first = route(&state)
        #expect(first == .write)
    }

    @Test("Buffers behind waiting ones wait too")
    func behind() {
        var gathered = State()
        gathered.queue(5)
        let behindGathered = route(&gathered, 1000)
        #expect(behindGathered == .gather)
        var blocked = State()
        blocked.block(keeping: 5)
        let behindBlocked = route(&blocked, 1000, isDelivering: true)
        #expect(behindBlocked == .queue)
        blocked.queue(7)
        #expect(blocked.isBlocked && blocked.pendingCount == 12)
    }

    @Test("One buffer waits in the shared slot during a delivery, and moves to the backlog when another follows")
    func oneBuffer() {
        var state = State()
        #expect(!state.canKeepOneBuffer(isDelivering: false) && state.canKeepOneBuffer(isDelivering: true))
        let none = state.takeOneBuffer()
        #expect(!none && state.waiting == .nothing)
        state.keepOneBuffer(10)
        #expect(state.waiting == .oneBuffer && state.pendingCount == 10 && !state.canKeepOneBuffer(isDelivering: true))
        let taken = state.takeOneBuffer()
        #expect(taken && state.waiting == .backlog)
        state.queue(5)
        #expect(state.pendingCount == 15 && state.accepted == 15 && state.sent == 0)
        let again = state.takeOneBuffer()
        #expect(!again)
    }

    @Test("The buffer in the shared slot counts as sent when the kernel has accepted it")
    func kernelAcceptedOneBuffer() {
        var state = State()
        state.keepOneBuffer(10)
        _ = state.takeOneBuffer()
        state.kernelAcceptedOneBuffer()
        #expect(state.waiting == .nothing && state.pendingCount == 0 && state.sent == 10 && state.accepted == 10)
    }

    @Test("A flush is scheduled once, and not during a delivery")
    func flushes() {
        var state = State()
        state.queue(10)
        let inside = state.nextFlush(limit: 100, isDelivering: true)
        #expect(inside == .later && state.flush == .none)
        let first = state.nextFlush(limit: 100, isDelivering: false)
        let second = state.nextFlush(limit: 100, isDelivering: false)
        #expect(first == .schedule && second == .later)
        state.queue(90)
        let full = state.nextFlush(limit: 100, isDelivering: true)
        #expect(full == .now)
        let isNeeded = state.beginScheduledFlush()
        #expect(isNeeded && state.flush == .none)
        state.kernelAccepted(50, of: 100)
        let isNeededWhileBlocked = state.beginScheduledFlush()
        #expect(!isNeededWhileBlocked && state.isBlocked)
        let wasBlocked = state.unblock()
        state.kernelAccepted(50, of: 50)
        let isNeededWithoutBytes = state.beginScheduledFlush()
        #expect(wasBlocked && !isNeededWithoutBytes && state.waiting == .nothing)
    }

    @Test("A partial write blocks, and a complete one does not (N8, N9)")
    func writes() {
        var state = State()
        state.wrote(10)
        #expect(state.sent == 10 && state.waiting == .nothing)
        state.wrote(4)
        state.block(keeping: 6)
        #expect(state.sent == 14 && state.pendingCount == 6 && state.isBlocked)
        let wasBlocked = state.unblock()
        #expect(wasBlocked && state.waiting == .backlog)
        let again = state.unblock()
        #expect(!again)
        state.kernelAccepted(2, of: 2)
        #expect(state.waiting == .backlog && state.pendingCount == 4)
        state.kernelAccepted(0, of: 4)
        #expect(state.isBlocked && state.pendingCount == 4)
        _ = state.unblock()
        state.kernelAccepted(4, of: 4)
        #expect(state.waiting == .nothing && state.sent == 20 && state.accepted == 20)
    }

    @Test("The end of stream is sent once, after all bytes (N12)")
    func finishing() {
        var idle = State()
        idle.beginEnding()
        let idleIsNext = idle.finish()
        let first = idle.shutDown()
        let second = idle.shutDown()
        #expect(idleIsNext && first && !second && idle.phase == .finished)

        var busy = State()
        busy.block(keeping: 5)
        busy.hold()
        busy.release()
        busy.beginEnding()
        let busyIsNext = busy.finish()
        #expect(!busyIsNext && busy.phase == .finishing && !busy.isDrained)
        _ = busy.unblock()
        busy.kernelAccepted(5, of: 5)
        let shutsDown = busy.shutDown()
        #expect(busy.isDrained && shutsDown)
        #expect(!State().isDrained)
    }

    @Test("A failure drops the waiting bytes")
    func dropping() {
        var state = State()
        state.wrote(3)
        state.block(keeping: 400)
        _ = state.cross(state.pendingCount, Watermarks(high: 300, low: 50))
        let dropped = state.drop()
        #expect(
            dropped == 400 && state.pendingCount == 0 && state.sent == 3 && state.waiting == .nothing
                && state.level == .low
        )
    }

    @Test("Each watermark is reported once, and nothing is reported in between (N10)")
    func watermarks() {
        var state = State()
        let counts = [0, 299, 300, 1000, 299, 51, 50, 0, 299, 300, 0]
        let crossed = counts.map { state.cross($0, Watermarks(high: 300, low: 50)) }
        #expect(crossed == [nil, nil, .high, nil, nil, nil, .low, nil, nil, .high, .low])
        #expect(!state.mayCross)
        state.queue(1)
        #expect(state.mayCross)
        _ = state.cross(300, Watermarks(high: 300, low: 50))
        _ = state.drop()
        #expect(!state.mayCross)
    }
}
