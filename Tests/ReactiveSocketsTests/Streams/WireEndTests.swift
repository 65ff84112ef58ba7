// SPDX-License-Identifier: MIT
import Glibc
import LoopTestSupport
import ReactiveCore
import ReactiveSignals
import ReactiveSupport
import SchedulerConformance
import Testing

@testable import ReactiveSockets

/// The ways in which a connection ends, as in the table of Docs/Sockets.md.
enum WireEnd: CaseIterable {
    case finished, sourceCompleted, closed, closedWhileStalled, closedWithinLimit
    case aborted, sourceFailed
    case idle, idleWhileStalled, writeStalled, lifetime, lifetimeWhileStalled, lifetimeWithUnread
    case released, releasedWithUnread, loopDisposed, loopDisposedWithUnread

    /// Whether the peer reads nothing while bytes wait.
    var isStalled: Bool {
        switch self {
        case .closedWhileStalled, .closedWithinLimit, .idleWhileStalled, .writeStalled, .lifetimeWhileStalled: true
        default: false
        }
    }

    var leavesUnread: Bool {
        switch self {
        case .lifetimeWithUnread, .releasedWithUnread, .loopDisposedWithUnread: true
        default: false
        }
    }

    var isReset: Bool { isStalled || leavesUnread || self == .aborted || self == .sourceFailed }
}

/// Answers the first bytes and rejects them.
private struct Rejecting: ConnectionTransformer {
    mutating func receive(_ bytes: Bytes, _ out: inout TransformedBytes) throws(SocketError) {
        out.toPeer("no")
        throw SocketError(.malformed, "test")
    }

    mutating func send(_ bytes: Bytes, _ out: inout TransformedBytes) { out.toPeer(bytes) }
}

extension Sockets {
    @Suite struct WireEndTests {
        @Test(
            "The peer receives end of stream if it has received everything, otherwise a reset",
            arguments: LoopKind.all,
            WireEnd.allCases
        )
        func wire(_ kind: LoopKind, _ way: WireEnd) throws {
            let clock = ManualClock()
            let server = try TestServer(kind, clock: clock)
            let client = try { () -> RawPeer in
                let (client, connection) = try server.connect(receiveBuffer: way.isStalled ? 4096 : 0)
                if way.leavesUnread {
                    client.send("unread".utf8)
                    try server.loop.turns {
                        if case .count = connection.core.value.socket.peek() { true } else { false }
                    }
                }
                if way.isStalled {
                    connection.send(Bytes(noise(8_000_000)))
                    try server.loop.turns { connection.core.value.sending.isBlocked }
                }
                try perform(way, on: connection, server, clock)
                return client
            }()
            if server.loop.isDisposed {
                server.listener.close()
                #expect(client.receiveAll().end == (way.isReset ? .failed(ECONNRESET) : .end))
                return client.close()
            }
            let end = try server.receiveToEnd(at: client).end
            #expect(end == (way.isReset ? .failed(ECONNRESET) : .end))
            try server.expectNothingLeft(after: client)
        }

        private func perform(_ way: WireEnd, on connection: Connection, _ server: TestServer, _ clock: ManualClock)
            throws
        {
            let second = Duration.seconds(1)
            switch way {
            case .finished: connection.finishSending()
            case .sourceCompleted: connection.send(from: Signal<Bytes, Never>.empty)
            case .closed: connection.close()
            case .closedWhileStalled: connection.close()
            case .closedWithinLimit: connection.close(within: second)
            case .aborted: connection.abort()
            case .sourceFailed: connection.send(from: Signal<Bytes, SocketError>.fail(SocketError(.malformed, "test")))
            case .idle:
                connection.received.subscribe(onValue: { _ in }, onTermination: { _ in })
                connection.setTimeouts(ConnectionTimeouts(idle: second))
            case .idleWhileStalled: connection.setTimeouts(ConnectionTimeouts(idle: second))
            case .writeStalled: connection.setTimeouts(ConnectionTimeouts(writeStalled: second))
            case .lifetime, .lifetimeWhileStalled, .lifetimeWithUnread:
                connection.setTimeouts(ConnectionTimeouts(lifetime: second))
            case .released, .releasedWithUnread: return
            case .loopDisposed, .loopDisposedWithUnread:
                // A watch, so that the loop knows the connection.
                connection.endOfStream.subscribe()
                try server.loop.turns(1)
                return server.loop.dispose()
            }
            if way == .finished || way == .sourceCompleted || way == .closed { return try server.loop.turns(2) }
            let ended = connection.ended.log()
            try server.loop.turns {
                clock.advance(by: .milliseconds(250))
                return ended.hasEnded
            }
        }

        @Test("The peer of a transformer that fails receives its last bytes and end of stream", arguments: LoopKind.all)
        func transformerFails(_ kind: LoopKind) throws {
            let server = try TestServer(kind, transformer: { Rejecting() })
            let (client, connection) = try server.connect()
            let received = connection.received.log()
            client.send("hello".utf8)
            let (bytes, end) = try server.receiveToEnd(at: client)
            #expect(bytes == Array("no".utf8) && end == .end && received.code == .malformed)
            try server.expectNothingLeft(after: client)
        }

        @Test("A peer that still sends after the connection has closed is reset", arguments: LoopKind.all)
        func sendsAfterClose(_ kind: LoopKind) throws {
            let clock = ManualClock()
            let server = try TestServer(kind, clock: clock)
            let (client, connection) = try server.connect()
            let ended = connection.ended.log()
            connection.close()
            #expect(try server.receiveToEnd(at: client).end == .end)
            #expect(client.send([1]) == 1 && !ended.hasEnded)
            try server.loop.turns {
                clock.advance(by: .milliseconds(250))
                return ended.hasEnded
            }
            #expect(ended.isCompleted)
            // The first byte after the close is answered with a reset. Sending then fails.
            try server.loop.turns { client.send([1]) == 0 }
            try server.expectNothingLeft(after: client)
        }
    }
}
