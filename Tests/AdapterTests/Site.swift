// SPDX-License-Identifier: MIT
import LoopTestSupport
import ReactiveCore
import ReactiveSignals
import ReactiveSockets
import SchedulerConformance
import SchedulerEngine

/// An echo server on its own loop, and a second loop for its clients.
final class Site: Sendable {
    let group: LoopGroup
    let server: Server

    init(
        _ loop: LoopKind,
        limits: ServerLimits = ServerLimits(),
        _ service: @escaping @Sendable (Connection) -> Signal<Never, SocketError> = { $0.send(from: $0.received) }
    ) throws {
        group = try LoopGroup(count: 2) { number throws(LoopError) in
            try loop.make(name: "site-\(number)", thread: .owned)
        }
        server = try Server(on: ownLoopback(), loops: LoopGroup(group.loops[0]), limits: limits, service: service)
    }

    func connect() async throws -> Connection {
        var connections = Connection.connect(to: server.localAddress, loop: group.loops[1]).values(limit: 1)
            .makeAsyncIterator()
        guard let connection = try await connections.next() else { throw CancellationError() }
        // A reply that does not arrive within the time limit fails the connection.
        connection.setTimeouts(ConnectionTimeouts(readStalled: .seconds(Latch.limit)))
        return connection
    }

    /// Sends the text, ends the stream, and returns the whole reply. On return the server has counted the end of the
    /// connection.
    func exchange(_ text: String) async throws -> Bytes {
        let ended = server.totals.ended
        let connection = try await connect()
        connection.send(Bytes(text))
        connection.finishSending()
        var parts: [Bytes] = []
        for try await part in connection.received.values(limit: 8) { parts.append(part) }
        try await eventually("the end of the connection") { [server] in server.totals.ended > ended }
        return Bytes(joining: parts)
    }

    /// Waits until the server is in this state or a later one.
    func reaches(_ state: ServerState) async throws {
        try await eventually("server that is \(state)") { [server] in server.state.value >= state }
    }

    func stop() async throws {
        server.stop()
        try await reaches(.stopped)
        dispose()
    }

    func dispose() { group.dispose() }
}
