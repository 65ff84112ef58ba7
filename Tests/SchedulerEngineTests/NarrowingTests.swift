// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSupport
import SchedulerConformance
import SchedulerEngine
import Synchronization
import Testing

/// An epoll poller that refuses changes while a test says so.
private struct RefusingPoller: Poller, ~Copyable {
    static let isRefusing = Atomic(false)
    static let changes = Box<[Readiness]>([])
    private var real: EpollPoller

    init() throws(LoopError) { real = try EpollPoller() }

    mutating func register(_ descriptor: Int32, _ interest: Readiness, token: UInt64) throws(LoopError) {
        try real.register(descriptor, interest, token: token)
    }

    mutating func modify(_ descriptor: Int32, _ interest: Readiness, token: UInt64) throws(LoopError) {
        if Self.isRefusing.load(ordering: .relaxed) {
            throw LoopError(.systemCall, errno: 12, "the system has no memory for this test")
        }
        try real.modify(descriptor, interest, token: token)
        Self.changes.update { $0.append(interest) }
    }

    mutating func deregister(_ descriptor: Int32) { real.deregister(descriptor) }

    mutating func wait(
        until deadline: PollDeadline,
        _ ready: (_ token: UInt64, Readiness) -> Void
    ) throws(LoopError) {
        try real.wait(until: deadline, ready)
    }
}

@Suite struct NarrowingTests {
    @Test("A loop narrows the interest of a descriptor once the system no longer refuses it")
    func refusedNarrowing() throws {
        let loop = try PollerLoop<RefusingPoller>(name: "refused", thread: .caller)
        defer { loop.dispose() }
        let pair = SocketPair()
        defer { pair.close() }
        let received = Box(0)
        let reading = try loop.watch(pair.near, for: .read) { _ in received.increment() }
        let writing = try loop.watch(pair.near, for: .write) { _ in }
        RefusingPoller.changes.value = []
        RefusingPoller.isRefusing.store(true, ordering: .relaxed)
        writing.dispose()
        for _ in 0..<3 { try loop.runOnce(waiting: false) }
        #expect(RefusingPoller.changes.value.isEmpty)
        RefusingPoller.isRefusing.store(false, ordering: .relaxed)
        try loop.runOnce(waiting: false)
        // Without this change the socket, which is always writable, would end every wait.
        #expect(RefusingPoller.changes.value == [.read])
        Descriptor.put("x", to: pair.far)
        try loop.runOnce(waiting: true)
        #expect(received.value == 1)
        reading.dispose()
    }
}
