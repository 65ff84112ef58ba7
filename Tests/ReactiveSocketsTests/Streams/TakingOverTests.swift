// SPDX-License-Identifier: MIT
import LoopTestSupport
import ReactiveCore
import ReactiveSignals
import SchedulerConformance
import Testing

@testable import ReactiveSockets

extension Sockets {
    @Suite struct TakingOverTests {
        /// How the first subscription ends before the socket is notified of it.
        enum Disposal: CaseIterable {
            case otherThread
            /// A teardown of the first subscription makes the second one.
            case teardown
        }

        /// Subscribes twice. The second subscription follows the disposal of the first immediately.
        private func takeOver<Value: Sendable>(
            _ signal: Signal<Value, SocketError>,
            on loop: any LoopScheduler,
            _ disposal: Disposal
        ) throws -> (first: Log<Value, SocketError>, second: Log<Value, SocketError>) {
            let (first, second) = (Log<Value, SocketError>(), Log<Value, SocketError>())
            // Added before the teardown of the socket, and so called before it.
            if disposal == .teardown { first.subscription.onDispose { signal.log(into: second) } }
            signal.log(into: first)
            try loop.turns(2)
            loop.execute {
                switch disposal {
                case .otherThread:
                    do {
                        try TestThread { first.subscription.dispose() }.join()
                    } catch {
                        Issue.record(error)
                    }
                    signal.log(into: second)
                case .teardown: first.subscription.dispose()
                }
            }
            try loop.turns(3)
            try #require(!second.hasEnded, "the second subscriber was refused")
            return (first, second)
        }

        @Test(
            "A disposed subscriber of a listener's connections does not block the next one",
            arguments: LoopKind.all,
            Disposal.allCases
        )
        func connections(_ kind: LoopKind, _ disposal: Disposal) throws {
            let server = try TestServer(kind)
            let (first, second) = try takeOver(server.listener.connections, on: server.loop, disposal)
            let one = try RawPeer(to: server.listener.localAddress)
            try server.loop.turns { second.values.count == 1 }
            try server.loop.turns(3)
            let two = try RawPeer(to: server.listener.localAddress)
            try server.loop.turns { second.values.count == 2 }
            #expect(first.values.isEmpty && !first.hasEnded && !second.hasEnded)
            second.subscription.dispose()
            for connection in second.values { connection.abort() }
            try server.expectNothingLeft(after: one, two)
        }

        @Test(
            "A disposed receiver of a datagram socket does not block the next one",
            arguments: LoopKind.all,
            Disposal.allCases
        )
        func datagrams(_ kind: LoopKind, _ disposal: Disposal) throws {
            let loop = try kind.make()
            defer { loop.dispose() }
            let socket = try DatagramSocket(on: ownLoopback(), loop: loop)
            let client = RawDatagrams(at: .loopback(port: 0))
            defer { client.close() }
            let (first, second) = try takeOver(socket.received, on: loop, disposal)
            client.send([1], to: socket.localAddress)
            try loop.turns { second.values.count == 1 }
            try loop.turns(3)
            client.send([2], to: socket.localAddress)
            try loop.turns { second.values.count == 2 }
            #expect(second.values.map { Array($0.bytes) } == [[1], [2]])
            #expect(first.values.isEmpty && !first.hasEnded && !second.hasEnded)
            second.subscription.dispose()
            socket.close()
            try loop.turns(2)
        }
    }
}
