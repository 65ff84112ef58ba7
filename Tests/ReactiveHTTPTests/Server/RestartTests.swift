// SPDX-License-Identifier: MIT
#if HTTP
    import Glibc
    import HTTPTypes
    import LoopTestSupport
    import ReactiveCore
    import ReactiveSignals
    import SchedulerConformance
    import SchedulerEngine
    import Testing

    @testable import ReactiveHTTP
    @testable import ReactiveSockets

    /// HTTP servers on sockets of another process, on each loop.
    @Suite struct RestartTests {
        /// Counts the requests of all generations by their paths.
        private static func service(_ executed: Box<[String: Int]>, on loop: any LoopScheduler) -> HTTPService {
            .signal { request in
                let path = request.head.path ?? ""
                return request.body.bytes().flatMap { _ -> Signal<HTTPResponseMessage, HTTPError> in
                    executed.update { $0[path, default: 0] += 1 }
                    let wait = Duration.milliseconds(path.hasPrefix("/slow") ? 5 : 0)
                    return Signal<Void, HTTPError>.timer(after: wait, on: loop).map { .ok(HTTPBody(Bytes(path))) }
                }
            }
        }

        /// A server with a hand-over on its first loop, as one process has them.
        private struct Generation {
            let server: HTTPServer
            let handover: Handover
            let hasHandedOver = Latch()
            let hasStopped = Latch()

            init(
                _ kind: LoopKind,
                _ executed: Box<[String: Int]>,
                at place: SocketAddress,
                after inherited: InheritedSockets? = nil
            ) throws {
                let loops = try LoopGroup(count: 2) { number throws(LoopError) in
                    try kind.make(name: "http-\(number)", thread: .owned)
                }
                let service = RestartTests.service(executed, on: loops.loops[0])
                server =
                    if let inherited {
                        try HTTPServer(adopting: inherited.take("http"), loops: loops, service: service)
                    } else {
                        try HTTPServer(on: .loopback(port: 0), loops: loops, service: service)
                    }
                server.failures.subscribe(onValue: { failure in Issue.record("\(failure.error)") })
                handover = try Handover(
                    of: [.server("http", server)],
                    at: place,
                    loop: loops.loops[0],
                    after: inherited
                )
                handover.completed.subscribe(onTermination: { [hasHandedOver] _ in hasHandedOver.arrive() })
            }

            /// Drains, and waits until the server has stopped.
            func end() throws {
                server.drain(within: .seconds(Latch.limit))
                    .subscribe(onTermination: { [hasStopped] _ in hasStopped.arrive() })
                try hasStopped.wait()
                #expect(server.totals.failed == 0)
                server.loops.dispose()
            }
        }

        /// Blocks until one response is complete. A read may return only a part of it.
        private func response(at peer: RawPeer) throws -> RawResponse {
            var reader = RawResponses()
            while true {
                guard case .bytes(let bytes) = peer.receive() else { throw Unexpected(description: "no response") }
                reader.feed(bytes)
                if let response = reader.complete.first { return response }
            }
        }

        @Test("A chain of processes answers each request of busy clients exactly once", arguments: LoopKind.all)
        func chain(_ kind: LoopKind) throws {
            let executed = Box<[String: Int]>([:])
            let place = abstractName()
            var old = try Generation(kind, executed, at: place)
            let address = old.server.localAddress
            let clients = [("one", 1), ("two", 1), ("pipelining", 5)].map { name, depth in
                RestartClient(name, to: address, depth: depth)
            }
            let threads = clients.map { $0.start() }
            func count() -> Int { clients.reduce(0) { $0 + $1.answered.value.count } }
            for _ in 0..<3 {
                let before = count()
                try waitUntil("the requests") { count() >= before + 60 }
                let idle = try RawPeer(to: address)
                idle.sendAll(Array("GET /idle HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
                _ = try response(at: idle)
                let inherited = try #require(try InheritedSockets.handedOver(at: place))
                #expect(inherited.names == ["http", "http"])
                let next = try Generation(kind, executed, at: place, after: inherited)
                #expect(next.server.localAddress == address)
                try inherited.acknowledge()
                try old.hasHandedOver.wait()
                try old.end()
                let (bytes, end) = idle.receiveAll()
                #expect(bytes.isEmpty && end == .end)
                idle.close()
                old = next
            }
            let before = count()
            try waitUntil("the requests of the last one") { count() >= before + 60 }
            for client in clients { client.stop() }
            for thread in threads { try thread.join() }
            old.handover.close()
            try old.end()
            let answered = clients.flatMap(\.answered.value)
            let paths = executed.value.filter { $0.key != "/idle" }
            #expect(Set(answered) == Set(paths.keys) && answered.count == paths.count)
            #expect(paths.values.allSatisfy { $0 == 1 })
        }

        /// A listening socket that the test keeps open, as a service manager does.
        private func activated() throws -> (socket: Int32, address: SocketAddress) {
            let socket = try BoundSocket(on: .loopback(port: 0), backlog: 16, options: []).socket
            return (socket.descriptor, try #require(socket.localAddress))
        }

        @Test("Clients wait for the next server of an activated socket", arguments: LoopKind.all)
        func activation(_ kind: LoopKind) throws {
            let loop = try kind.make(thread: .owned)
            let (socket, address) = try activated()
            for _ in 0..<2 {
                let client = try RawPeer(to: address)
                client.sendAll(Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
                let server = try HTTPServer(adopting: [dup(socket)], loops: LoopGroup(loop)) { _ in .ok("hello") }
                #expect(server.localAddress == address)
                #expect(try response(at: client).text == "hello")
                let hasStopped = Latch()
                server.drain(within: .seconds(Latch.limit)).subscribe(onTermination: { _ in hasStopped.arrive() })
                client.finish()
                let (rest, end) = client.receiveAll()
                #expect(rest.isEmpty && end == .end)
                client.close()
                try hasStopped.wait()
                #expect(server.totals.accepted == 1 && server.totals.failed == 0)
            }
            Descriptor.close(socket)
            loop.dispose()
        }

        @Test("A server on an activated socket trusts proxies", arguments: LoopKind.all)
        func proxies(_ kind: LoopKind) throws {
            let loop = try kind.make(thread: .owned)
            let (socket, address) = try activated()
            let server = try HTTPServer(
                adopting: [socket],
                loops: LoopGroup(loop),
                proxies: TrustedProxies(AddressRange.loopback)
            ) { request in
                .ok(HTTPBody("\(request.peer?.address?.description ?? "none") \(request.head.scheme ?? "none")"))
            }
            let client = try RawPeer(to: address)
            client.sendAll(Array("PROXY TCP4 192.0.2.1 192.0.2.2 5 80\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
            #expect(try response(at: client).text == "192.0.2.1:5 http")
            client.close()
            let hasStopped = Latch()
            server.stop().subscribe(onTermination: { _ in hasStopped.arrive() })
            try hasStopped.wait()
            loop.dispose()
        }

        @Test("Without a listening socket the initializer throws", arguments: LoopKind.all)
        func wrong(_ kind: LoopKind) throws {
            let loop = try kind.make()
            defer { loop.dispose() }
            do {
                _ = try HTTPServer(adopting: [], loops: LoopGroup(loop)) { _ in .ok("x") }
                Issue.record("a server without a socket")
            } catch {
                #expect(error.code == .badDescriptor)
            }
        }
    }
#endif
