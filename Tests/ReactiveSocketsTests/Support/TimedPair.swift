// SPDX-License-Identifier: MIT
import Glibc
import LoopTestSupport
import ReactiveCore
import ReactiveSupport
import SchedulerConformance
import Testing

@testable import ReactiveSockets

/// A connection on a loop whose clock the test advances, and its peer. They are a pair of Unix sockets, because these
/// deliver and count bytes within the call.
final class TimedPair {
    let loop: any LoopScheduler
    let connection: Connection
    let peer: RawPeer
    private let clock = ManualClock()
    /// The loop that counts its objects.
    private let base: any LoopScheduler

    init(
        _ kind: LoopKind,
        watermarks: Watermarks = Watermarks(),
        transformer: (any ConnectionTransformer)? = nil,
        isForwarded: Bool = false,
        refusesWatches: Bool = false
    ) throws {
        base = try kind.make(clock: clock)
        loop = isForwarded || refusesWatches ? ForwardingLoop(base, refusesWatches: refusesWatches) : base
        let pair = SocketPair()
        defer { pair.close() }
        peer = RawPeer(fcntl(pair.far, F_DUPFD_CLOEXEC, 0))
        connection = try Connection(
            adopting: fcntl(pair.near, F_DUPFD_CLOEXEC, 0),
            loop: loop,
            watermarks: watermarks,
            transformer: transformer
        )
    }

    deinit {
        connection.abort()
        base.expectNothingLeftAndDispose { Issue.record($0) }
    }

    var isOpen: Bool { connection.core.value.isOpen }

    /// Lets time pass in steps of five seconds. Calls `body` before each step.
    func pass(_ seconds: Int, _ body: () -> Void = {}) throws {
        for _ in 0..<seconds / 5 {
            body()
            try loop.turns(2)
            clock.advance(by: .seconds(5))
            try loop.turns(2)
        }
    }

    /// Sends until the socket is full, and a little more.
    func fill() throws {
        while !connection.core.value.sending.isBlocked {
            connection.send(Bytes(noise(100_000)))
            try loop.turns(2)
        }
    }

    /// Expects that the connection ends between `limit` and a quarter later, counted from now. `delay` is the time until the
    /// connection notices what the limit counts from.
    func expectTimeOut(
        after limit: Int,
        saying reason: String,
        noticedWithin delay: Int = 0,
        in situation: String = "",
        sourceLocation: SourceLocation = #_sourceLocation,
        _ body: () -> Void = {}
    ) throws {
        let ended = connection.ended.log()
        try pass(limit - 5, body)
        #expect(isOpen, "the connection ended early", sourceLocation: sourceLocation)
        try pass(5 + limit / 4 + delay, body)
        #expect(ended.code == .timedOut, "did not end in time \(situation)", sourceLocation: sourceLocation)
        guard let error = ended.failure else { return }
        #expect(error.message.contains(reason), sourceLocation: sourceLocation)
    }
}
