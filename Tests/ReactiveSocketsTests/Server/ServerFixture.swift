// SPDX-License-Identifier: MIT
import Glibc
import LoopTestSupport
import ReactiveCore
import ReactiveSignals
import ReactiveSupport
import SchedulerConformance
import SchedulerEngine
import Testing

@testable import ReactiveSockets

/// The events of a server.
final class ServerEvents: Sendable {
    let accepted = Recorder<Connection>()
    let refused = Recorder<Connection>()
    let rejected = Recorder<RejectedPeer>()
    let ended = Recorder<ConnectionSummary>()
    let isOver = Latch()

    init(_ server: Server) {
        server.events.subscribe(
            onValue: { [self] event in
                switch event {
                case .accepted(let connection): accepted.append(connection)
                case .refused(let connection): refused.append(connection)
                case .rejected(let peer): rejected.append(peer)
                case .ended(_, let summary): ended.append(summary)
                case .failed: break
                }
            },
            onTermination: { [self] _ in isOver.arrive() }
        )
    }
}

/// Shared functions of the server tests.
enum ServerFixture {
    static func group(_ kind: LoopKind, _ count: Int) throws -> LoopGroup {
        try LoopGroup(count: count) { number throws(LoopError) in
            try kind.make(name: "worker-\(number)", thread: .owned)
        }
    }

    static func echo(_ kind: LoopKind, _ count: Int = 2, limits: ServerLimits = ServerLimits()) throws -> Server {
        try Server(on: ownLoopback(), loops: group(kind, count), limits: limits) { connection in
            connection.send(from: connection.received)
        }
    }

    /// Sends the text and waits for the echo.
    static func exchange(_ client: RawPeer, _ text: String = "hello") {
        client.setBlocking(true)
        client.send(Array(text.utf8))
        var back: [UInt8] = []
        while back.count < text.utf8.count, case .bytes(let bytes) = client.receive() { back += bytes }
        #expect(String(decoding: back, as: UTF8.self) == text)
        client.setBlocking(false)
    }
}
