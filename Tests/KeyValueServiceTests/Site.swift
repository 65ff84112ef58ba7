// SPDX-License-Identifier: MIT
import LoopTestSupport
import ReactiveCore
import ReactiveSignals
import ReactiveSockets
import SchedulerConformance
import SchedulerEngine

@testable import KeyValueService

/// A server on its own loops, and a loop for its clients.
final class Site: Sendable {
    let service: Service
    let server: Server
    private let loops: LoopGroup
    private let clients: any LoopScheduler

    init(_ loop: LoopKind, threads: Int = 1, _ settings: Settings = Settings()) throws {
        loops = try LoopGroup(count: threads) { number throws(LoopError) in
            try loop.make(name: "keys-\(number)", thread: .owned)
        }
        clients = try loop.make(name: "clients", thread: .owned)
        let service = Service(on: loops.loops[0], settings)
        self.service = service
        server = try Server(on: ownLoopback(), loops: loops) { service.serve($0) }
    }

    func connect() async throws -> Peer { Peer(try await connectOnly()) }

    /// Connects, but does not receive. A reply that does not arrive within the time limit fails the connection.
    func connectOnly() async throws -> Connection {
        var connections = Connection.connect(to: server.localAddress, loop: clients).values(limit: 1)
            .makeAsyncIterator()
        guard let connection = try await connections.next() else { throw CancellationError() }
        connection.setTimeouts(ConnectionTimeouts(readStalled: .seconds(Latch.limit)))
        return connection
    }

    /// Sends all requests in one call, and returns all bytes until end of stream.
    func exchange(_ requests: Bytes) async throws -> Bytes {
        let peer = try await connect()
        peer.connection.send(requests)
        return try await peer.rest()
    }

    func stop() async throws {
        server.stop()
        try await eventually("end of the server") { [server] in server.state.value == .stopped }
        loops.dispose()
        clients.dispose()
    }
}

/// A test client.
final class Peer {
    let connection: Connection
    private var chunks: SignalValues<Bytes, SocketError>.AsyncIterator
    private var waiting = Bytes()

    init(_ connection: Connection) {
        self.connection = connection
        chunks = connection.received.values(limit: 64).makeAsyncIterator()
    }

    /// Reads as many bytes as `text` has. Returns whether they are equal to `text`.
    func hears(_ text: Bytes) async throws -> Bool {
        while waiting.count < text.count {
            guard let chunk = try await chunks.next() else { break }
            waiting = Bytes(joining: [waiting, chunk])
        }
        defer { waiting = waiting.dropFirst(text.count) }
        return waiting.prefix(text.count) == text
    }

    /// Returns the next chunk, or `nil` at end of stream.
    func chunk() async throws -> Bytes? {
        if !waiting.isEmpty {
            defer { waiting = Bytes() }
            return waiting
        }
        return try await chunks.next()
    }

    /// Returns all remaining bytes until end of stream.
    func rest() async throws -> Bytes {
        var parts = [waiting]
        while let chunk = try await chunks.next() { parts.append(chunk) }
        return Bytes(joining: parts)
    }
}
