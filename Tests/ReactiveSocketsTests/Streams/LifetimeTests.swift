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

extension Sockets {
    @Suite struct LifetimeTests {
        @Test("A connection without references closes its descriptor", arguments: LoopKind.all)
        func dropped(_ kind: LoopKind) throws {
            let server = try TestServer(kind)
            let client = try RawPeer(to: server.listener.localAddress)
            let count = Box(0)
            let subscription = server.listener.connections.subscribe(
                onValue: { _ in count.increment() },
                onTermination: noFailure()
            )
            try server.loop.turns { count.value == 1 }
            subscription.dispose()
            #expect(try server.receiveToEnd(at: client).end == .end)
            try server.expectNothingLeft(after: client)
        }

        @Test("A connection without references sends its waiting bytes and then closes", arguments: LoopKind.all)
        func droppedWhileSending(_ kind: LoopKind) throws {
            let server = try TestServer(kind)
            let client = try RawPeer(to: server.listener.localAddress)
            let data = noise(5_000_000)
            let subscription = server.listener.connections.subscribe(
                onValue: { $0.send(Bytes(data)) },
                onTermination: noFailure()
            )
            let all = try server.receiveToEnd(at: client)
            #expect(all.bytes == data && all.end == .end)
            subscription.dispose()
            try server.expectNothingLeft(after: client)
        }

        @Test("A connection released on another thread closes too", arguments: LoopKind.all)
        func droppedElsewhere(_ kind: LoopKind) throws {
            let server = try TestServer(kind)
            let client = try RawPeer(to: server.listener.localAddress)
            let held = Box<Connection?>(nil)
            let subscription = server.listener.connections.subscribe(
                onValue: { held.value = $0 },
                onTermination: noFailure()
            )
            try server.loop.turns { held.value != nil }
            subscription.dispose()
            try server.loop.turns(1)
            try TestThread { held.value = nil }.join()
            #expect(client.receiveAll().end == .end)
            try server.expectNothingLeft(after: client)
        }

        @Test(
            "The observers of ended receive closed when the last reference is released",
            arguments: LoopKind.all,
            [false, true]
        )
        func endedAfterRelease(_ kind: LoopKind, _ elsewhere: Bool) throws {
            let server = try TestServer(kind)
            let client = try RawPeer(to: server.listener.localAddress)
            let held = Box<Connection?>(nil)
            let subscription = server.listener.connections.subscribe(
                onValue: { held.value = $0 },
                onTermination: noFailure()
            )
            try server.loop.turns { held.value != nil }
            subscription.dispose()
            let ends = Recorder<Termination<SocketError>>()
            let loop = server.loop
            for _ in 0..<2 {
                held.value?.ended.subscribe(onTermination: { end in
                    if !loop.isCurrent { Issue.record("delivered on another thread") }
                    ends.append(end)
                })
            }
            try server.loop.turns(1)
            #expect(ends.values.isEmpty)
            if elsewhere { try TestThread { held.value = nil }.join() } else { held.value = nil }
            try server.loop.turns { ends.count == 2 }
            #expect(ends.values.allSatisfy { if case .failed(let error) = $0 { error.code == .closed } else { false } })
            #expect(client.receiveAll().end == .end)
            try server.expectNothingLeft(after: client)
        }

        @Test("Ended connections leave no core and no listener behind", arguments: LoopKind.all, 0..<4)
        func leaks(_ kind: LoopKind, _ way: Int) throws {
            let server = try TestServer(kind)
            let core = try { () -> Weak<ConnectionCore> in
                let (client, connection) = try server.connect()
                let core = Weak(connection.core.value)
                let end = connection.send(from: connection.received).log()
                let writable = connection.isWritable.signal.log()
                client.send("some".utf8)
                #expect(try server.receive(4, at: client) == Array("some".utf8))
                switch way {
                case 0: client.finish()
                case 1: client.reset()
                case 2: connection.close()
                default: connection.abort()
                }
                try server.loop.turns { end.hasEnded }
                client.close()
                try server.loop.turns { !connection.core.value.isOpen }
                #expect(writable.ends == [.completed] && writable.values == [true])
                return core
            }()
            try server.loop.turns { core.object == nil }
            try server.expectNothingLeft()
        }

        @Test(
            "A connection's termination follows those of its sends, and later subscribers receive the same one",
            arguments: LoopKind.all,
            0..<4
        )
        func endAgain(_ kind: LoopKind, _ way: Int) throws {
            let server = try TestServer(kind)
            let (client, connection) = try server.connect()
            let order = Recorder<String>()
            let ended = connection.ended.handleEvents(onTermination: { _ in order.append("gone") }).log()
            connection.send(from: connection.received)
                .subscribe(onTermination: { _ in order.append("sent") })
            let code: SocketError.Code?
            switch way {
            case 0:
                client.finish()
                code = nil
            case 1:
                client.reset()
                code = .reset
            case 2:
                connection.close()
                client.finish()
                code = nil
            default:
                connection.abort()
                code = .closed
            }
            try server.loop.turns { ended.hasEnded }
            #expect(order.values == ["sent", "gone"])
            #expect(ended.code == code && ended.isCompleted == (code == nil))
            let again = connection.ended.log()
            try server.loop.turns { again.hasEnded }
            #expect(again.code == code && again.isCompleted == (code == nil))
            try server.expectNothingLeft(after: client)
        }

        @Test(
            "A disposed observer of ended is released, and the others are notified",
            arguments: LoopKind.all
        )
        func passingEnders(_ kind: LoopKind) throws {
            let server = try TestServer(kind)
            let (client, connection) = try server.connect()
            let gone = Box(0)
            func observe() -> SignalSubscription {
                let canary = Canary { gone.increment() }
                let subscription = SignalSubscription()
                subscription.onDispose { canary.sing() }
                connection.ended.subscribe(in: subscription, onTermination: { _ in canary.sing() })
                return subscription
            }
            var subscriptions: [Weak<SignalSubscription>] = []
            for number in 0..<1000 {
                let subscription = observe()
                subscriptions.append(Weak(subscription))
                // Models a `take(until: connection.ended)` for each request. Some requests overlap.
                if !number.isMultiple(of: 100) { subscription.dispose() }
            }
            try server.loop.turns(1)
            #expect(gone.value == 990)
            #expect(subscriptions.count { $0.object != nil } <= 10 + 32, "subscriptions that are still there")
            let told = Box(0)
            connection.ended.subscribe(onTermination: { _ in told.increment() })
            connection.abort()
            try server.loop.turns { told.value == 1 && gone.value == 1000 }
            try server.expectNothingLeft(after: client)
        }

        @Test(
            "Disposing a loop closes its connections, with and without timeouts",
            arguments: LoopKind.all,
            [ConnectionTimeouts(), ConnectionTimeouts(idle: .seconds(1000))]
        )
        func loopDisposed(_ kind: LoopKind, _ timeouts: ConnectionTimeouts) throws {
            let server = try TestServer(kind)
            let address = server.listener.localAddress
            let (echoing, stalled, idle) = (
                try server.connect(), try server.connect(receiveBuffer: 4096), try server.connect()
            )
            for connection in [echoing.connection, stalled.connection] { connection.setTimeouts(timeouts) }
            try server.loop.turns(1)
            echoing.connection.send(from: echoing.connection.received)
            stalled.connection.send(Bytes(noise(8_000_000)))
            server.listener.connections.subscribe(onValue: { _ in }, onTermination: noFailure())
            try server.loop.turns(3)
            let kept = idle.connection
            server.loop.dispose()
            // Calls on the connection return at once, since the loop does not run any more.
            kept.close()
            let late = kept.send(from: Signal<Bytes, Never>(just: "late")).log()
            #expect(kept.send("late").log().code == .loop)
            #expect(kept.received.log().code == .loop && late.code == .loop)
            #expect(server.listener.connections.log().code == .loop)
            #expect(kept.isWritable.value)
            for client in [echoing.client, stalled.client, idle.client] { client.close() }
            // The loop watched the listener and two of the three connections. The third closes with its last
            // reference.
            #expect(!echoing.connection.core.value.isOpen && !stalled.connection.core.value.isOpen)
            #expect(OpenSockets.count(on: address) == 1)
        }

        @Test("A disposed loop is refused, and the caller keeps an adopted descriptor", arguments: LoopKind.all)
        func loopRefused(_ kind: LoopKind) throws {
            let loop = try kind.make()
            loop.dispose()
            let pair = SocketPair()
            defer { pair.close() }
            let refused = SocketError(.loop, "")
            #expect(throws: refused) { try Listener(on: .loopback(port: 0), loop: loop) }
            #expect(throws: refused) { try DatagramSocket(on: .loopback(port: 0), loop: loop) }
            #expect(throws: refused) { try Connection(adopting: pair.near, loop: loop) }
            #expect(throws: refused) { try ChildProcess("true", loop: loop) }
            #expect(throws: refused) {
                try Server(on: .loopback(port: 0), loops: LoopGroup(loop)) { $0.send(from: $0.received) }
            }
            #expect(fcntl(pair.near, F_GETFD) != -1)
        }

        @Test("Loops with their own threads can be disposed while peers send", arguments: LoopKind.all)
        func disposedInFlight(_ kind: LoopKind) throws {
            for _ in 0..<5 {
                let loop = try kind.make(thread: .owned)
                var listener: Listener? = try Listener(on: ownLoopback(), loop: loop)
                let address = try #require(listener?.localAddress)
                listener?.connections.subscribe(onValue: { $0.send(from: $0.received) }, onTermination: noFailure())
                let clients = try (0..<10).map { _ in try RawPeer(to: address) }
                let echoed = Latch()
                let peers = clients.enumerated().map { index, client in
                    TestThread {
                        client.setBlocking(true)
                        client.send(noise(1000))
                        if case .bytes = client.receive(), index == 0 { echoed.arrive() }
                        _ = client.receiveAll()
                    }
                }
                try echoed.wait()
                loop.dispose()
                listener = nil
                for peer in peers { try peer.join() }
                for client in clients { client.close() }
                #expect(OpenSockets.count(on: address) == 0, "\(OpenSockets.descriptions(on: address))")
            }
        }

        /// The Swift runtime traps at a stored property that cannot be copied. A failed expectation reflects as `dump` does.
        @Test("`dump` prints servers, connections, loops and subscriptions", arguments: LoopKind.all)
        func reflected(_ kind: LoopKind) throws {
            let server = try TestServer(kind)
            let (client, connection) = try server.connect()
            let subject = Subject<Bytes, Never>()
            connection.send(from: subject.signal.flatMap { Signal<Bytes, Never>(just: $0) }.share())
            try server.loop.turns(2)
            let timer = server.loop.schedule(at: server.loop.now, options: TimerOptions()) {}
            let subscription = connection.received.log().subscription
            let objects: [Any] = [
                server, connection, subject, subscription, timer, server.loop, server.listener, try TimedPair(kind),
            ]
            for object in objects {
                var text = ""
                dump(object, to: &text)
                #expect(!text.isEmpty)
            }
            subject.complete()
            try server.expectNothingLeft(after: client)
        }
    }
}
