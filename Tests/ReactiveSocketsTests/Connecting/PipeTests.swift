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
    @Suite struct PipeTests {
        private typealias Piped = (clients: [RawPeer], end: Log<Never, SocketError>, loops: [any LoopScheduler])

        /// Two clients whose connections are joined by a pipe. Each connection belongs to a loop with its own thread.
        private func piped(_ kinds: (LoopKind, LoopKind)) throws -> Piped {
            let loops = [
                try kinds.0.make(name: "left", thread: .owned),
                try kinds.1.make(name: "right", thread: .owned),
            ]
            var clients: [RawPeer] = []
            var connections: [Connection] = []
            for loop in loops {
                let listener = try Listener(on: .loopback(port: 0), loop: loop)
                let arrived = Latch()
                let accepted = Recorder<Connection>()
                listener.connections.take(1).subscribe(
                    onValue: { connection in
                        accepted.append(connection)
                        arrived.arrive()
                    },
                    onTermination: noFailure()
                )
                clients.append(try RawPeer(to: listener.localAddress))
                try arrived.wait()
                connections.append(try #require(accepted.values.first))
                listener.close()
            }
            let end = Connection.pipe(connections[0], connections[1]).log()
            return (clients, end, loops)
        }

        @Test("A pipe carries both directions at the same time, even if one side is slow", arguments: LoopKind.pairs)
        func both(_ first: LoopKind, _ second: LoopKind) throws {
            let (clients, end, loops) = try piped((first, second))
            let data = [noise(3_000_000, seed: 1), noise(3_000_000, seed: 2)]
            let received = Recorder<(Int, [UInt8])>()
            var threads: [TestThread] = []
            for side in 0...1 {
                clients[side].setBlocking(true)
                threads.append(
                    TestThread {
                        var sent = 0
                        while sent < data[side].count {
                            let count = clients[side].send(data[side][sent..<min(sent + 50_000, data[side].count)])
                            if count == 0 { break }
                            sent += count
                        }
                        clients[side].finish()
                    }
                )
                threads.append(TestThread { received.append((side, clients[side].receiveAll().bytes)) })
            }
            for thread in threads { try thread.join() }
            for (side, bytes) in received.values { #expect(bytes == data[1 - side]) }
            #expect(received.values.count == 2)
            for loop in loops { try loop.sync() }
            try waitUntil("the end of the pipe") { end.hasEnded }
            #expect(end.isCompleted)
            for loop in loops { loop.dispose() }
        }

        @Test("A half-close is forwarded, and the other direction continues", arguments: LoopKind.all)
        func halfClose(_ kind: LoopKind) throws {
            let (clients, end, loops) = try piped((kind, kind))
            clients[0].send(Array("question".utf8))
            clients[0].finish()
            #expect(clients[1].receiveAll() == (Array("question".utf8), .end))
            clients[1].send(Array("answer".utf8))
            clients[1].finish()
            #expect(clients[0].receiveAll() == (Array("answer".utf8), .end))
            try waitUntil("the pipe's end") { end.isCompleted }
            for loop in loops { loop.dispose() }
        }

        @Test("A reset on one side resets the other side", arguments: LoopKind.all)
        func reset(_ kind: LoopKind) throws {
            let (clients, end, loops) = try piped((kind, kind))
            clients[0].send([1])
            clients[0].reset()
            #expect(clients[1].receiveAll().end == .failed(104))
            try waitUntil("the pipe's end") { end.hasEnded }
            #expect(end.code == .reset)
            for loop in loops { loop.dispose() }
        }

        @Test("A pipe with a connection that has finished sending aborts both connections", arguments: LoopKind.all)
        func finished(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let server = try TestServer(kind)
            let (client, connection) = try server.connect()
            let (other, second) = try server.connect()
            connection.finishSending()
            let end = Connection.pipe(connection, second).log()
            try server.loop.turns { end.hasEnded }
            #expect(end.code == .closed)
            try server.expectNothingLeft(after: client, other)
            loop.dispose()
        }

        @Test(
            "The disposal of one loop ends the connection on the other loop, whether that runs again or not",
            arguments: LoopKind.all,
            [false, true]
        )
        func disposed(_ kind: LoopKind, _ runsAgain: Bool) throws {
            let loops = [try kind.make(), try kind.make()]
            weak var core: ConnectionCore?
            var ended: Log<Never, SocketError>?
            var clients: [RawPeer] = []
            var addresses: [SocketAddress] = []
            do {
                var connections: [Connection] = []
                for loop in loops {
                    let listener = try Listener(on: ownLoopback(), loop: loop)
                    let arrived = listener.nextConnection()
                    clients.append(try RawPeer(to: listener.localAddress))
                    try loop.turns { arrived.value != nil }
                    connections.append(try #require(arrived.value))
                    addresses.append(listener.localAddress)
                    listener.close()
                }
                ended = Connection.pipe(connections[0], connections[1]).log()
                core = connections[1].core.value
                clients[0].send([1])
                var received = clients[1].receive()
                try loops[0].turns {
                    try? loops[1].turns(1)
                    if received == .nothing { received = clients[1].receive() }
                    return received != .nothing
                }
                #expect(received == .bytes([1]))
            }
            loops[0].dispose()
            if runsAgain {
                try loops[1].turns(2)
                #expect(ended?.hasEnded == true)
            }
            loops[1].dispose()
            for client in clients {
                let end = try client.receiveToEnd { isDone in try waitUntil("the end", isDone) }.end
                #expect(end == .end || end == .failed(104))
                client.close()
            }
            for address in addresses { #expect(OpenSockets.count(on: address) == 0) }
            #expect(core == nil)
        }
    }
}
