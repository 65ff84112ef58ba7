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
    @Suite struct LoopEndTests {
        /// A source that outlives the loop, and records its disposal.
        private func source<Value>(_ subject: Subject<Value, Never>, _ isOver: Box<Bool>) -> Signal<Value, Never> {
            Signal { emitter, subscription in
                subscription.onDispose { isOver.value = true }
                subject.signal.subscribe(emitter, in: subscription)
            }
        }

        @Test("Disposing the loop releases the sources of unfinished sends", arguments: LoopKind.all)
        func sources(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let (bytes, datagrams) = (Subject<Bytes, Never>(), Subject<Datagram, Never>())
            let isOver = [Box(false), Box(false), Box(false)]
            let pair = SocketPair()
            defer { pair.close() }
            let cores = try { () -> (Weak<ConnectionCore>, Weak<DatagramCore>) in
                let connection = try Connection(adopting: dup(pair.near), loop: loop)
                connection.received.subscribe(onValue: { _ in }, onTermination: { _ in })
                connection.send(from: source(bytes, isOver[0]))
                connection.send(from: source(bytes, isOver[1]))
                let socket = try DatagramSocket(on: abstractName(), loop: loop)
                socket.received.subscribe(onValue: { _ in }, onTermination: { _ in })
                socket.send(from: source(datagrams, isOver[2]))
                return (Weak(connection.core.value), Weak(socket.core.value))
            }()
            try loop.turns(3)
            loop.dispose()
            #expect(isOver.map(\.value) == [true, true, true])
            #expect(cores.0.object == nil && cores.1.object == nil)
            bytes.send("late")
        }

        @Test("Disposing the loop releases the subscribers of unfinished sends", arguments: LoopKind.all)
        func results(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let released = Box(0)
            let bytes = Subject<Bytes, Never>()
            let pair = SocketPair()
            defer { pair.close() }
            try {
                let connection = try Connection(adopting: dup(pair.near), loop: loop)
                connection.received.subscribe(onValue: { _ in }, onTermination: { _ in })
                for _ in 0..<2 {
                    let canary = Canary { released.increment() }
                    connection.send(from: bytes.signal).subscribe(onTermination: { _ in canary.sing() })
                }
            }()
            try loop.turns(3)
            #expect(released.value == 0)
            loop.dispose()
            #expect(released.value == 2)
        }

        @Test("N26: disposing the loop closes a connection whose unread bytes hide its end", arguments: LoopKind.all)
        func unread(_ kind: LoopKind) throws {
            let server = try TestServer(kind)
            let (client, core) = try { () -> (RawPeer, Weak<ConnectionCore>) in
                let (client, connection) = try server.connect()
                connection.endOfStream.subscribe()
                client.send("unread".utf8)
                try server.loop.turns { connection.core.value.receiving.stream == .unread }
                return (client, Weak(connection.core.value))
            }()
            #expect(core.object?.isOpen == true)
            server.loop.dispose()
            #expect(core.object == nil)
            client.close()
        }
    }
}
