// SPDX-License-Identifier: MIT
#if TLS
    import COpenSSL
    import Glibc
    import LoopTestSupport
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets
    import SchedulerConformance
    import SchedulerEngine
    import Testing

    @testable import ReactiveTLS

    /// A server that sends the first part of a session ticket, and the rest later. Until then OpenSSL encrypts nothing.
    @Suite struct InterruptedTests {
        private let certificates = Certificates.shared

        /// A client on a loop, and a server over a raw socket.
        private final class Bench {
            let loop: any LoopScheduler
            let client: Connection
            var server: Wire.End
            private let descriptor: Int32
            /// The server's tickets, of which the client has received the first record.
            private(set) var tickets = Bytes()
            let received = Box("")
            let end = Box<Termination<SocketError>?>(nil)
            private(set) var reader: (any Subscription)?

            init(_ kind: LoopKind, _ certificates: Certificates) throws {
                loop = try kind.make()
                let (near, far) = Descriptor.sockets()
                descriptor = far
                client = try Connection(
                    adopting: near,
                    loop: loop,
                    transformer: certificates.identifiedClient(.tls13).client(host: "localhost")()
                )
                server = Wire.End(transformer: try certificates.fragmentingServer().server())
                client.ended.subscribe(onTermination: { [end] in end.value = $0 })
                try loop.turns {
                    self.exchange(); return !self.server.transformer.needsInput
                }
                tickets = server.takeOutgoing()
                reader = client.received.subscribe(
                    onValue: { [received] bytes in received.update { $0 += "\(bytes)" } },
                    onTermination: { _ in }
                )
                // The first record, which is complete. Its message is not.
                sendTickets(5 + (Int(tickets[tickets.startIndex + 3]) << 8 | Int(tickets[tickets.startIndex + 4])))
                try loop.turns(5)
            }

            /// Closes both ends, checks that they have left nothing on the loop, and disposes the loop.
            deinit {
                client.abort()
                Descriptor.close(descriptor)
                loop.expectNothingLeftAndDispose { Issue.record($0) }
            }

            func sendTickets(_ count: Int) {
                put(tickets.prefix(count))
                tickets = tickets.dropFirst(count)
            }

            func put(_ bytes: Bytes) {
                let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
                #expect(count == bytes.count)
            }

            /// Moves the handshake on. The server's tickets stay in `server.outgoing`.
            func exchange() {
                receive()
                if server.transformer.needsInput { put(server.takeOutgoing()) }
            }

            func receive() {
                var memory = [UInt8](repeating: 0, count: 65_536)
                let count = recv(descriptor, &memory, memory.count, Int32(MSG_DONTWAIT))
                if count > 0 { server.receive(Bytes(memory.prefix(count))) }
            }
        }

        private enum Reader: CaseIterable { case none, paused, active }

        @Test("Bytes wait for the rest of the message, even if nothing receives", arguments: LoopKind.all)
        func sending(kind: LoopKind) throws {
            for reader in Reader.allCases {
                let bench = try Bench(kind, certificates)
                let pause = reader == .paused ? bench.reader?.pause() : nil
                if reader == .none { bench.reader?.dispose() }
                let results = Box(0)
                for text in ["one ", "two ", "three"] {
                    bench.client.send(Bytes(text)).subscribe(onTermination: { _ in results.update { $0 += 1 } })
                }
                try bench.loop.turns(10)
                bench.receive()
                #expect(bench.server.received.isEmpty && results.value == 0)
                bench.sendTickets(Int.max)
                try bench.loop.turns {
                    bench.receive(); return bench.server.received.count == 13
                }
                #expect(bench.server.received == Array("one two three".utf8))
                try bench.loop.turns { results.value == 3 }
                bench.server.call { transformer, out throws(SocketError) in try transformer.send("reply", &out) }
                bench.put(bench.server.takeOutgoing())
                if reader == .active { try bench.loop.turns { bench.received.value == "reply" } }
                #expect(bench.received.value == (reader == .active ? "reply" : ""))
                pause?.dispose()
                #expect(bench.end.value == nil)
            }
        }

        @Test("A close waits for the rest of the message too", arguments: LoopKind.all)
        func closing(kind: LoopKind) throws {
            let bench = try Bench(kind, certificates)
            bench.client.send("last words")
            bench.client.close()
            try bench.loop.turns(10)
            bench.receive()
            #expect(bench.server.received.isEmpty && bench.end.value == nil)
            bench.sendTickets(Int.max)
            try bench.loop.turns {
                bench.receive(); return bench.server.streamHasEnded
            }
            #expect(bench.server.received == Array("last words".utf8) && bench.server.failure == nil)
        }

        @Test("A peer that sends something else instead of the rest fails the send", arguments: LoopKind.all)
        func garbage(kind: LoopKind) throws {
            let bench = try Bench(kind, certificates)
            let result = Box<Termination<SocketError>?>(nil)
            bench.client.send("lost").subscribe(onTermination: { result.value = $0 })
            try bench.loop.turns(5)
            // The key of this record has encrypted the missing one.
            bench.server.call { transformer, out throws(SocketError) in try transformer.send("data", &out) }
            bench.put(bench.server.takeOutgoing())
            try bench.loop.turns { bench.end.value != nil }
            guard case .failed(let error) = result.value else { return #expect(Bool(false), "the send completed") }
            #expect(error.tls == .badRecord)
        }
    }
#endif
