// SPDX-License-Identifier: MIT
import LoopTestSupport
import ReactiveCore
import ReactiveSignals
import ReactiveSupport
import SchedulerConformance
import Testing

@testable import ReactiveSockets

extension Sockets {
    @Suite struct EchoLoopTests {
        private static let burst = 50

        /// The echo service of Docs/Datagrams.md.
        private func serve(_ socket: DatagramSocket, _ loop: any LoopScheduler, _ refused: Box<Int>) {
            let budgets = TokenBuckets<SocketAddress?>(TokenRate(1, per: .seconds(1), burst: Self.burst), capacity: 64)
            let datagrams = socket.received
                .scanMap(into: budgets) { budgets, datagram -> Datagram? in
                    if budgets.take(for: datagram.peer, at: loop.now) { return datagram }
                    refused.increment()
                    return nil
                }
                .compactMap { $0 }
            socket.send(from: datagrams)
        }

        @Test(
            "A budget for each sender ends the loop of a datagram from the address of an echo service",
            arguments: LoopKind.all,
            [1, 2]
        )
        func budget(_ kind: LoopKind, _ services: Int) throws {
            let before = datagramSockets()
            try {
                let loop = try kind.make(clock: ManualClock())
                let refused = Box(0)
                let sockets = try (0..<services).map { _ in try DatagramSocket(on: ownLoopback(), loop: loop) }
                for socket in sockets { serve(socket, loop, refused) }
                // The sender is an echo service itself, as that of a forged datagram would be. Each loop ends separately.
                let sender = try #require(sockets.last)
                sender.send("first", to: sockets[0].localAddress)
                try loop.turns { refused.value == 1 }
                sender.send("second", to: sockets[0].localAddress)
                try loop.turns { refused.value == 2 }
                // Others are served.
                let client = RawDatagrams(at: ownLoopback())
                defer { client.close() }
                client.send([1], to: sockets[0].localAddress)
                var answer: [UInt8]?
                try loop.turns {
                    answer = client.receive()
                    return answer != nil
                }
                #expect(answer == [1] && refused.value == 2)
                for socket in sockets { socket.close() }
                try loop.turns { sockets.allSatisfy { !$0.core.value.isOpen } }
                loop.dispose()
            }()
            try waitUntilDatagramSocketsClose(except: before)
        }
    }
}
