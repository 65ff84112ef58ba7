// SPDX-License-Identifier: MIT
#if TLS
    import Glibc
    import LoopTestSupport
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets
    import SchedulerConformance
    import Testing

    @testable import ReactiveTLS

    /// Whether bytes wait in a socket.
    private func isReadable(_ descriptor: Int32) -> Bool {
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) == 1
    }

    /// The bound of handshakes in one turn. The test runs the loop turn by turn.
    @Suite struct HandshakeTurnTests {
        private let certificates = Certificates.shared

        /// Connections of a server on one loop. Each client has sent its hello, and reads nothing.
        private final class Crowd {
            let loop: any LoopScheduler
            private let server: TLSContext
            private let client: TLSContext
            private(set) var connections: [Connection] = []
            private(set) var clients: [Int32] = []

            init(_ kind: LoopKind, _ certificates: Certificates, resuming version: TLSVersion? = nil) throws {
                loop = try kind.make()
                server = try TLSContext(certificates.server())
                client = try certificates.client(version ?? .tls13)
                if version != nil { #expect(Wire.resumes(client, server) == false) }
            }

            /// Closes all ends, checks that they have left nothing on the loop, and disposes the loop.
            deinit {
                for connection in connections { connection.abort() }
                for client in clients { close(client) }
                loop.expectNothingLeftAndDispose { Issue.record($0) }
            }

            func add(_ count: Int) throws {
                for _ in 0..<count {
                    let (near, far) = Descriptor.sockets()
                    connections.append(try Connection(adopting: near, loop: loop, transformer: server.server()))
                    clients.append(far)
                    let hello = Wire.hello(of: client)
                    let count = hello.withUnsafeBytes { write(far, $0.baseAddress, $0.count) }
                    precondition(count == hello.count, "the hello does not fit")
                }
            }

            /// Whether the server has answered the hello of a client.
            func isAnswered(_ number: Int) -> Bool { isReadable(clients[number]) }

            func answered(_ range: Range<Int>) -> Int { range.count { isAnswered($0) } }
        }

        @Test("A turn takes at most a few steps, and earlier clients are answered first", arguments: LoopKind.all)
        func order(kind: LoopKind) throws {
            let crowd = try Crowd(kind, certificates)
            try crowd.add(20)
            try crowd.loop.turns { crowd.answered(0..<20) > 0 }
            #expect(crowd.answered(0..<20) <= HandshakeQueue.stepsPerTurn)
            try crowd.add(20)
            var last = crowd.answered(0..<20)
            var turns = 0
            while last < 40 {
                try crowd.loop.turns(1)
                turns += 1
                let (early, late) = (crowd.answered(0..<20), crowd.answered(20..<40))
                #expect(early + late - last <= HandshakeQueue.stepsPerTurn)
                #expect(late == 0 || early == 20)
                last = early + late
                guard turns < 1_000 else { break }
            }
            #expect(last == 40)
        }

        @Test("Clients that resume a session of TLS 1.2 take a quarter of a step", arguments: LoopKind.all)
        func resumed(kind: LoopKind) throws {
            let crowd = try Crowd(kind, certificates, resuming: .tls12)
            try crowd.add(60)
            try crowd.loop.turns { crowd.answered(0..<60) > 0 }
            let limit = HandshakeQueue.stepsPerTurn * HandshakeQueue.cheapSteps
            var (last, most, turns) = (crowd.answered(0..<60), 0, 0)
            #expect(last <= limit)
            while last < 60, turns < 1_000 {
                try crowd.loop.turns(1)
                let answered = crowd.answered(0..<60)
                most = max(most, answered - last)
                last = answered
                turns += 1
            }
            #expect(last == 60 && most > HandshakeQueue.stepsPerTurn && most <= limit)
        }

        @Test("Other connections are served in each turn while handshakes wait", arguments: LoopKind.all)
        func established(kind: LoopKind) throws {
            let crowd = try Crowd(kind, certificates)
            let (near, far) = Descriptor.sockets()
            defer { close(far) }
            let plain = try Connection(adopting: near, loop: crowd.loop)
            plain.send(from: plain.received)
            Descriptor.put("x", to: far)
            try crowd.loop.turns { Descriptor.take(from: far) == 1 }
            try crowd.add(100)
            try crowd.loop.turns { crowd.answered(0..<100) > 0 }
            var turns = 0
            while crowd.answered(0..<100) < 100 {
                Descriptor.put("x", to: far)
                try crowd.loop.turns(1)
                #expect(Descriptor.take(from: far) == 1, "turn \(turns)")
                turns += 1
                guard turns < 1_000 else { break }
            }
            #expect(turns >= 100 / HandshakeQueue.stepsPerTurn - 1 && turns < 100)
        }

        /// Calls `body` in the failure of a handshake that the queue resumed.
        private func afterFailingInQueue(
            _ loop: any LoopScheduler,
            _ server: TLSContext,
            _ body: @escaping @Sendable () -> Void
        ) throws {
            // One handshake more than a turn has steps: the last one waits, and fails when the queue calls it.
            let refused = (0...HandshakeQueue.stepsPerTurn).map { _ in Descriptor.sockets() }
            defer { for (_, far) in refused { close(far) } }
            let left = Box(refused.count)
            let connections = try refused.map { near, far in
                Descriptor.put("this is not a hello", to: far)
                let connection = try Connection(adopting: near, loop: loop, transformer: server.server())
                connection.received.subscribe(
                    onValue: { _ in },
                    onTermination: { _ in
                        left.update { $0 -= 1 }
                        if left.value == 0 { body() }
                    }
                )
                return connection
            }
            try loop.turns { left.value == 0 }
            for connection in connections { connection.abort() }
        }

        @Test("Clients that begin in one turn wait too", arguments: LoopKind.all, [false, true])
        func clients(kind: LoopKind, afterFailure: Bool) throws {
            let loop = try kind.make()
            defer { loop.dispose() }
            let (tls, server) = (try TLSContext(certificates.client()), try TLSContext(certificates.server()))
            let pairs = (0..<20).map { _ in Descriptor.sockets() }
            let connections = Box<[Connection]>([])
            let failures = Box<[SocketError]>([])
            let begin: @Sendable () -> Void = {
                for (near, _) in pairs {
                    do throws(SocketError) {
                        let connection = try Connection(
                            adopting: near,
                            loop: loop,
                            transformer: tls.client(host: "localhost")()
                        )
                        connections.update { $0.append(connection) }
                    } catch {
                        failures.update { $0.append(error) }
                    }
                }
            }
            if afterFailure {
                try afterFailingInQueue(loop, server, begin)
            } else {
                loop.execute(begin)
            }
            func begun() -> Int { pairs.count { isReadable($0.1) } }
            var last = begun()
            #expect(last <= HandshakeQueue.stepsPerTurn)
            for _ in 0..<20 where last < 20 {
                try loop.turns(1)
                let now = begun()
                #expect(now - last <= HandshakeQueue.stepsPerTurn)
                last = now
            }
            #expect(last == 20 && failures.value.isEmpty)
            // Each of them completes its handshake.
            let received = Box(0)
            let peers = try pairs.map { _, far in
                try Connection(adopting: far, loop: loop, transformer: server.server())
            }
            for peer in peers {
                peer.received.subscribe(
                    onValue: { bytes in received.update { [count = bytes.count] in $0 += count } },
                    onTermination: { _ in }
                )
            }
            for connection in connections.value { connection.send("x") }
            try loop.turns { received.value == 20 }
        }

        @Test("A connection that ends while it waits takes no step", arguments: LoopKind.all)
        func ended(kind: LoopKind) throws {
            let crowd = try Crowd(kind, certificates)
            try crowd.add(40)
            try crowd.loop.turns { crowd.answered(0..<40) > 0 }
            for (number, connection) in crowd.connections.enumerated() where !crowd.isAnswered(number) {
                if number % 2 == 0 { connection.abort() }
            }
            var turns = 0
            while crowd.answered(0..<40) < 20, turns < 1_000 {
                try crowd.loop.turns(1)
                turns += 1
            }
            #expect(turns <= 40 / HandshakeQueue.stepsPerTurn)
            try crowd.loop.turns(20)
            for number in 0..<40 where number % 2 == 1 { #expect(crowd.isAnswered(number), "\(number)") }
        }
    }
#endif
