// SPDX-License-Identifier: MIT
import LoopTestSupport
import ReactiveCore
import ReactiveSignals
import ReactiveSupport
import SchedulerConformance
import SchedulerEngine
import Testing

@testable import ReactiveSockets

extension Sockets {
    @Suite struct ScopeTests {
        /// An echo server on a loop with its own thread.
        private func server(_ kind: LoopKind) throws -> (loop: any LoopScheduler, listener: Listener) {
            let loop = try kind.make(name: "echo", thread: .owned)
            let listener = try Listener(on: ownLoopback(), loop: loop)
            listener.connections.subscribe(
                onValue: { connection in connection.send(from: connection.received) },
                onTermination: noFailure()
            )
            return (loop, listener)
        }

        /// Waits until only the listener's descriptor is open. On a timeout it reports the others.
        private func settled(_ listener: Listener) async throws {
            do {
                try await eventually("the descriptors") { OpenSockets.count(on: listener.localAddress) == 1 }
            } catch {
                Issue.record("left: \(OpenSockets.descriptions(on: listener.localAddress).joined(separator: "; "))")
                throw error
            }
        }

        @Test("withConnection connects, sends, receives and closes", arguments: LoopKind.all)
        func scope(_ kind: LoopKind) async throws {
            let (loop, listener) = try server(kind)
            let answer = try await withConnection(to: listener.localAddress, loop: loop) { received, send in
                try await send("hello, ")
                try await send("world")
                send.finish()
                var all = ""
                for try await bytes in received { all += String(bytes) }
                return all
            }
            #expect(answer == "hello, world")
            try await settled(listener)
            loop.dispose()
        }

        @Test("An error thrown in the scope aborts the connection", arguments: LoopKind.all)
        func throwing(_ kind: LoopKind) async throws {
            struct Stop: Error {}
            let (loop, listener) = try server(kind)
            await #expect(throws: Stop.self) {
                try await withConnection(to: listener.localAddress, loop: loop) { _, send in
                    try await send("hello")
                    throw Stop()
                }
            }
            try await settled(listener)
            loop.dispose()
        }

        @Test("Cancelling the waiting task aborts the connection", arguments: LoopKind.all)
        func cancelling(_ kind: LoopKind) async throws {
            let (loop, listener) = try server(kind)
            let connected = Latch()
            let address = listener.localAddress
            let task = Task.detached {
                try await withConnection(to: address, loop: loop) { received, send in
                    try await send("x")
                    for try await _ in received { connected.arrive() }
                    try Task.checkCancellation()
                }
            }
            try await eventually("the echo") { connected.isOpen }
            task.cancel()
            let result = await task.result
            #expect(throws: CancellationError.self) { try result.get() }
            try await settled(listener)
            loop.dispose()
        }

        @Test("A task that is cancelled before or during the attempt never connects", arguments: LoopKind.all)
        func cancelledEarly(_ kind: LoopKind) async throws {
            let loop = try kind.make(name: "client", thread: .owned)
            let silent = SilentPeer()
            defer { silent.close() }
            let own = ownLoopback()
            let address = silent.address
            let task = Task.detached {
                let settings = ConnectSettings(timeout: .seconds(Latch.limit), localAddress: own)
                try await withConnection(to: address, loop: loop, settings: settings) { _, _ in }
            }
            try await eventually("the attempt") { OpenSockets.connecting(from: own) == 1 }
            task.cancel()
            let result = await task.result
            #expect(throws: CancellationError.self) { try result.get() }
            try await eventually("the descriptor") { OpenSockets.connecting(from: own) == 0 }
            loop.dispose()
        }

        @Test("withConnection throws the error of a failed attempt", arguments: LoopKind.all)
        func refused(_ kind: LoopKind) async throws {
            let loop = try kind.make(name: "client", thread: .owned)
            let error = await #expect(throws: SocketError.self) {
                try await withConnection(to: ConnectTests.closedAddress(), loop: loop) { _, _ in }
            }
            #expect(error?.code == .refused)
            loop.dispose()
        }

        @Test("A send waits for a peer that does not read", arguments: LoopKind.all)
        func backPressure(_ kind: LoopKind) async throws {
            let loop = try kind.make(name: "client", thread: .owned)
            let peers = try Listener(on: ownLoopback(), loop: loop)
            let accepted = Recorder<Connection>()
            peers.connections.subscribe(onValue: { accepted.append($0) }, onTermination: noFailure())
            let rounds = Box(0)
            let address = peers.localAddress
            let task = Task.detached {
                try await withConnection(to: address, loop: loop) { _, send in
                    for _ in 0..<200 {
                        try await send(Bytes(noise(200_000)))
                        rounds.increment()
                    }
                }
            }
            try await eventually("the peer") { accepted.values.count == 1 }
            // The peer does not read, so sending stops well before its 40 MB.
            let last = Box(-1)
            try await eventually("a standstill") {
                defer { last.value = rounds.value }
                Platform.pause(.milliseconds(50))
                return rounds.value == last.value
            }
            #expect(rounds.value < 200)
            accepted.values[0].received.subscribe(onValue: { _ in }, onTermination: { _ in })
            try await task.value
            #expect(rounds.value == 200)
            loop.dispose()
        }
    }
}
