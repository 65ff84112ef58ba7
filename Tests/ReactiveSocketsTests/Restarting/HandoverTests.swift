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
    @Suite struct HandoverTests {
        /// A server with a hand-over on its first loop, as one process has them.
        private struct Generation {
            let server: Server
            let events: ServerEvents
            let handover: Handover
            let failures = Recorder<SocketError>()
            let isCompleted = Latch()

            init(
                _ kind: LoopKind,
                at place: SocketAddress,
                after inherited: InheritedSockets? = nil,
                patience: Duration = .seconds(60)
            ) throws {
                let loops = try ServerFixture.group(kind, 2)
                let service: @Sendable (Connection) -> Signal<Never, SocketError> = { $0.send(from: $0.received) }
                let taken = try inherited?.take("echo") ?? []
                server =
                    taken.isEmpty
                    ? try Server(on: ownLoopback(), loops: loops, service: service)
                    : try Server(adopting: taken, loops: loops, service: service)
                events = ServerEvents(server)
                handover = try Handover(
                    of: [.server("echo", server)],
                    at: place,
                    loop: loops.loops[0],
                    after: inherited,
                    patience: patience
                )
                handover.failures.subscribe(onValue: { [failures] in failures.append($0) })
                handover.completed.subscribe(onTermination: { [isCompleted] _ in isCompleted.arrive() })
            }

            /// Drains and waits until the server has stopped.
            func end() throws {
                server.drain(within: .seconds(60))
                try events.isOver.wait()
                server.loops.dispose()
            }
        }

        @Test("The next process serves the same sockets, and the old one ends without a reset", arguments: LoopKind.all)
        func chain(_ kind: LoopKind) throws {
            let place = abstractName()
            var old = try Generation(kind, at: place)
            let address = old.server.localAddress
            #expect(try InheritedSockets.activated() == nil)
            for _ in 0..<3 {
                let idle = try RawPeer(to: address)
                ServerFixture.exchange(idle)
                let inherited = try #require(try InheritedSockets.handedOver(at: place))
                #expect(inherited.names == ["echo", "echo"])
                let next = try Generation(kind, at: place, after: inherited)
                #expect(next.server.localAddress == address && !old.handover.isCompleted)
                try inherited.acknowledge()
                #expect(old.handover.isCompleted)
                try old.isCompleted.wait()
                old.server.drain(within: .seconds(60))
                for _ in 0..<20 { try exchange(with: address) }
                // A connection of the old process remains until its peer leaves.
                ServerFixture.exchange(idle)
                idle.finish()
                try old.events.isOver.wait()
                #expect(old.server.totals.failed == 0 && old.failures.count == 0)
                idle.close()
                old.server.loops.dispose()
                old = next
            }
            try exchange(with: address)
            old.handover.close()
            try old.isCompleted.wait()
            #expect(!old.handover.isCompleted)
            try old.end()
            #expect(OpenSockets.count(on: address) == 0)
        }

        @Test("If the next process ends before it acknowledges, the old one continues", arguments: LoopKind.all)
        func death(_ kind: LoopKind) throws {
            let place = abstractName()
            let old = try Generation(kind, at: place)
            for number in 1...3 {
                var inherited = try InheritedSockets.handedOver(at: place)
                #expect(inherited?.names.count == 2)
                inherited = nil
                try waitUntil("the failure") { old.failures.count == number }
                #expect(old.failures.values.last?.code == .reset && !old.handover.isCompleted)
                try exchange(with: old.server.localAddress)
            }
            let inherited = try #require(try InheritedSockets.handedOver(at: place))
            let next = try Generation(kind, at: place, after: inherited)
            try inherited.acknowledge()
            try old.end()
            try exchange(with: next.server.localAddress)
            next.handover.close()
            try next.end()
        }

        @Test("The old process does not wait longer than its patience", arguments: LoopKind.all)
        func patience(_ kind: LoopKind) throws {
            let place = abstractName()
            let old = try Generation(kind, at: place, patience: .milliseconds(50))
            let inherited = try #require(try InheritedSockets.handedOver(at: place))
            try waitUntil("the failure") { old.failures.count == 1 }
            #expect(old.failures.values[0].code == .timedOut)
            let error = #expect(throws: SocketError.self) { try inherited.acknowledge() }
            #expect(error?.code == .reset)
            try exchange(with: old.server.localAddress)
            inherited.close()
            old.handover.close()
            try old.end()
        }

        @Test("A second process is refused while one takes over", arguments: LoopKind.all)
        func second(_ kind: LoopKind) throws {
            let place = abstractName()
            let old = try Generation(kind, at: place)
            let inherited = try #require(try InheritedSockets.handedOver(at: place))
            let error = #expect(throws: SocketError.self) { _ = try InheritedSockets.handedOver(at: place) }
            #expect(error?.code == .reset && old.failures.count == 0)
            inherited.close()
            old.handover.close()
            try old.end()
        }

        @Test("A process hands over only after it has acknowledged its own sockets", arguments: LoopKind.all)
        func third(_ kind: LoopKind) throws {
            let place = abstractName()
            let old = try Generation(kind, at: place)
            let inherited = try #require(try InheritedSockets.handedOver(at: place))
            let next = try Generation(kind, at: place, after: inherited)
            // Both processes have the socket of the hand-over, and only the old one accepts from it.
            for _ in 0..<20 {
                let error = #expect(throws: SocketError.self) { _ = try InheritedSockets.handedOver(at: place) }
                #expect(error?.code == .reset)
            }
            try inherited.acknowledge()
            let again = try #require(try InheritedSockets.handedOver(at: place))
            try again.acknowledge()
            #expect(next.handover.isCompleted && next.failures.count == 0 && old.failures.count == 0)
            again.close()
            try old.end()
            try next.end()
        }

        @Test("Bytes of another protocol end the attempt, and the old process continues", arguments: LoopKind.all)
        func garbage(_ kind: LoopKind) throws {
            let place = abstractName()
            let old = try Generation(kind, at: place)
            let ready = HandoverFrame(.ready).encoded
            for (number, bytes) in [Array("GET / HTTP/1.1\r\n".utf8), ready, HandoverFrame(.request).encoded + ready]
                .enumerated()
            {
                let peer = try RawPeer(to: place)
                peer.sendAll(bytes)
                _ = peer.receiveAll()
                peer.close()
                try waitUntil("the failure") { old.failures.count == number + 1 }
                #expect(old.failures.values.last?.code == .malformed)
            }
            #expect(!old.handover.isCompleted)
            try exchange(with: old.server.localAddress)
            old.handover.close()
            try old.end()
        }

        @Test("Without free descriptors in the old process, nothing is taken over, and nothing leaks")
        func exhaustion() async {
            // In a process of its own, because other tests open and close descriptors.
            await #expect(processExitsWith: .success) {
                let place = abstractName()
                let old = try Generation(.dispatch, at: place)
                let limit = DescriptorLimit.current
                let before = openSockets()
                // One for each end of the connection, and one of the three duplicates. One more or less gives the same result:
                // the library of the tests opens and closes other descriptors.
                DescriptorLimit.leave(3)
                let error = #expect(throws: SocketError.self) { _ = try InheritedSockets.handedOver(at: place) }
                DescriptorLimit.set(limit)
                #expect(error?.code == .reset)
                try waitUntil("the failure") { old.failures.count == 1 }
                #expect(old.failures.values[0].code == .outOfDescriptors)
                try waitUntil("the descriptors to close") { openSockets() == before }
                try exchange(with: old.server.localAddress)
                old.handover.close()
                try old.end()
            }
        }

        @Test("The file of a Unix socket belongs to the next process", arguments: LoopKind.all)
        func file(_ kind: LoopKind) throws {
            let place = abstractName()
            let folder = try TestFolder()
            defer { folder.remove() }
            let address = try SocketAddress.unix(path: folder.path("socket"))
            let loops = try ServerFixture.group(kind, 1)
            let old = try Server(on: address, loops: loops) { $0.send(from: $0.received) }
            let handover = try Handover(of: [.server("unix", old)], at: place, loop: loops.loops[0])
            let inherited = try #require(try InheritedSockets.handedOver(at: place))
            let next = try Server(adopting: inherited.take("unix"), loops: ServerFixture.group(kind, 2)) {
                $0.send(from: $0.received)
            }
            try inherited.acknowledge()
            #expect(handover.isCompleted && next.localAddress == address)
            let isOver = Latch()
            old.stop().subscribe(onTermination: { _ in isOver.arrive() })
            try isOver.wait()
            loops.dispose()
            for _ in 0..<4 { try exchange(with: address) }
            try stop(next)
        }

        @Test("Listeners and datagram sockets are handed over too", arguments: LoopKind.all)
        func others(_ kind: LoopKind) throws {
            let place = abstractName()
            let loop = try kind.make(thread: .owned)
            let listener = try Listener(on: ownLoopback(), loop: loop)
            let datagrams = try DatagramSocket(on: ownLoopback(), loop: loop)
            let handover = try Handover(
                of: [.listener("tcp", listener), .datagrams("udp", datagrams)],
                at: place,
                loop: loop
            )
            let inherited = try #require(try InheritedSockets.handedOver(at: place))
            #expect(inherited.names == ["tcp", "udp"])
            #expect(try inherited.takeListening().count == 1)
            let taken = try inherited.take("udp")
            let udp = try DatagramSocket(adopting: #require(taken.first), loop: loop)
            #expect(udp.localAddress == datagrams.localAddress && inherited.names.isEmpty)
            handover.close()
            let address = datagrams.localAddress
            udp.close()
            datagrams.close()
            listener.close()
            try waitUntil("the datagram sockets to close") { OpenSockets.count(on: address) == 0 }
            loop.dispose()
        }

        @Test("A closed server cannot be handed over")
        func closed() throws {
            let place = abstractName()
            let old = try Generation(.dispatch, at: place)
            // The drain waits for this connection, so the loop continues to run.
            let idle = try RawPeer(to: old.server.localAddress)
            ServerFixture.exchange(idle)
            old.server.drain(within: .seconds(60))
            try waitUntil("the listeners to close") { old.server.state.value == .draining }
            let error = #expect(throws: SocketError.self) { _ = try InheritedSockets.handedOver(at: place) }
            #expect(error?.code == .reset)
            try waitUntil("the failure") { old.failures.count == 1 }
            #expect(old.failures.values[0].code == .closed)
            idle.finish()
            idle.close()
            try old.events.isOver.wait()
            old.server.loops.dispose()
        }

        @Test("If no process listens, this is the first one")
        func first() throws {
            #expect(try InheritedSockets.handedOver(at: abstractName()) == nil)
            let path = try SocketAddress.unix(path: "/tmp/reactive-no-such-folder/socket")
            #expect(try InheritedSockets.handedOver(at: path) == nil)
        }
    }
}

private func exchange(with address: SocketAddress) throws {
    let client = try RawPeer(to: address)
    ServerFixture.exchange(client)
    client.close()
}
