// SPDX-License-Identifier: MIT
import Glibc
import LoopTestSupport
import ReactiveCore
import ReactiveSignals
import ReactiveSupport
import SchedulerConformance
import Testing

@testable import ReactiveSockets

extension Sockets {
    @Suite struct WithServerTests {
        private struct Stop: Error {}

        /// Serves until `body` returns. The service says goodbye, or ignores the drain.
        private func serve<Result>(
            _ kind: LoopKind,
            grace: Duration,
            isPolite: Bool = true,
            _ body: (Server) async throws -> Result
        ) async throws -> Result {
            let loops = try ServerFixture.group(kind, 2)
            defer { loops.dispose() }
            return try await withServer(on: ownLoopback(), loops: loops, grace: grace) { connection in
                if !isPolite { return connection.send(from: connection.received) }
                return connection.send(from: connection.received.take(until: connection.draining).concat(value: "bye"))
            } whileServing: { server in
                try await body(server)
            }
        }

        /// Sends a byte, and waits for its echo.
        private func exchange(_ client: RawPeer) async throws {
            client.send([7])
            try await eventually("the echo") { client.receive() == .bytes([7]) }
        }

        /// Everything that the client receives until its stream ends or fails.
        private func rest(_ client: RawPeer) async throws -> (bytes: [UInt8], end: RawPeer.Read?) {
            let bytes = Box<[UInt8]>([])
            let end = Box<RawPeer.Read?>(nil)
            try await eventually("the end of the client's stream") {
                switch client.receive() {
                case .nothing: return false
                case .bytes(let more):
                    bytes.value += more
                    return false
                case let last:
                    end.value = last
                    client.close()
                    return true
                }
            }
            return (bytes.value, end.value)
        }

        /// Serves in a task until the server has stopped. A client has exchanged a byte with it.
        private func serveClient(
            _ kind: LoopKind,
            grace: Duration,
            isPolite: Bool = true
        ) async throws -> (serving: Task<Void, any Error>, server: Server, client: RawPeer) {
            let made = Box<Server?>(nil)
            let serving = Task {
                try await serve(kind, grace: grace, isPolite: isPolite) { server in
                    made.value = server
                    await server.untilStopped()
                }
            }
            try await eventually("the server") { made.value != nil }
            let server = try #require(made.value)
            let client = try RawPeer(to: server.localAddress)
            try await exchange(client)
            return (serving, server, client)
        }

        @Test("A server drains when its body returns or throws", arguments: LoopKind.all, [false, true])
        func returning(_ kind: LoopKind, _ isThrowing: Bool) async throws {
            let opened = Box<(server: Server, client: RawPeer)?>(nil)
            let ending = Task {
                try await serve(kind, grace: .seconds(1000)) { server in
                    let client = try RawPeer(to: server.localAddress)
                    try await exchange(client)
                    opened.value = (server, client)
                    if isThrowing { throw Stop() }
                    return 42
                }
            }
            try await eventually("the exchange") { opened.value != nil }
            let (server, client) = try #require(opened.value)
            let (bytes, end) = try await rest(client)
            #expect(bytes == Array("bye".utf8) && end == .end)
            switch await ending.result {
            case .success(let value): #expect(value == 42 && !isThrowing)
            case .failure(let error): #expect(error is Stop && isThrowing)
            }
            #expect(server.state.value == .stopped && OpenSockets.count(on: server.localAddress) == 0)
        }

        @Test("Cancelling the task drains the server: connections say goodbye", arguments: LoopKind.all)
        func cancelled(_ kind: LoopKind) async throws {
            let (serving, server, client) = try await serveClient(kind, grace: .seconds(1000))
            serving.cancel()
            let (bytes, end) = try await rest(client)
            #expect(bytes == Array("bye".utf8) && end == .end)
            try await serving.value
            #expect(server.totals.failed == 0 && OpenSockets.count(on: server.localAddress) == 0)
        }

        @Test("After the grace period of a cancelled task the remaining connections are reset", arguments: LoopKind.all)
        func graceEnds(_ kind: LoopKind) async throws {
            let (serving, server, client) = try await serveClient(kind, grace: .milliseconds(60), isPolite: false)
            let begin = ContinuousClock.now
            serving.cancel()
            try await serving.value
            #expect(ContinuousClock.now - begin >= .milliseconds(60))
            #expect(try await rest(client).end == .failed(ECONNRESET))
            #expect(server.totals.failed == 1 && OpenSockets.count(on: server.localAddress) == 0)
        }

        @Test("In a cancelled task the server drains immediately, and its body still runs", arguments: LoopKind.all)
        func cancelledBefore(_ kind: LoopKind) async throws {
            let serving = Task {
                withUnsafeCurrentTask { task in task?.cancel() }
                return try await serve(kind, grace: .seconds(1000)) { server in
                    await server.untilStopped()
                    return server.state.value
                }
            }
            #expect(try await serving.value == .stopped)
        }
    }
}
