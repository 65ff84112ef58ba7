// SPDX-License-Identifier: MIT
#if CAres
    import DNSServers
    import Foundation
    import LoopTestSupport
    import ReactiveCAres
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets
    import SchedulerConformance
    import Testing

    extension CAres {
        @Suite struct ChangedConfigurationTests {
            @Test("An answer that arrives after a change of the configuration is not cached", arguments: LoopKind.all)
            func lateAnswer(_ kind: LoopKind) throws {
                let bench = try Bench(kind)
                defer { bench.end() }
                let early = try bench.begin("one.test")
                try bench.change()
                let other = try bench.begin("two.test")
                bench.server.answer("one.test", "192.0.2.1")
                try bench.loop.turns { early.hasEnded }
                #expect(early.hosts == ["192.0.2.1"] && !other.hasEnded)
                let late = try bench.begin("one.test")
                bench.server.answer("one.test", "192.0.2.2")
                try bench.loop.turns { late.hasEnded }
                #expect(late.hosts == ["192.0.2.2"])
                // The answer of the new configuration is cached.
                #expect(try CAres.look(up: "one.test", bench.resolver).hosts == ["192.0.2.2"])
                #expect(bench.server.count("one.test") == 0)
            }

            @Test(
                "A look-up after a change of the configuration does not wait for the answer to an older question",
                arguments: LoopKind.all
            )
            func openQuestion(_ kind: LoopKind) throws {
                let bench = try Bench(kind)
                defer { bench.end() }
                let early = try bench.begin("one.test")
                try bench.change()
                let late = bench.look(up: "one.test")
                // Its questions arrive after those of the look-up before it, which uses the same socket.
                let other = try bench.begin("two.test")
                try #require(bench.server.count("one.test") >= 4)
                // The questions of the new configuration are answered first.
                bench.server.answer("one.test", "192.0.2.2", skipping: 2)
                try bench.loop.turns { late.hasEnded }
                #expect(late.hosts == ["192.0.2.2"] && !early.hasEnded && !other.hasEnded)
                bench.server.answer("one.test", "192.0.2.1")
                try bench.loop.turns { early.hasEnded }
                #expect(early.hosts == ["192.0.2.1"])
                #expect(try CAres.look(up: "one.test", bench.resolver).hosts == ["192.0.2.2"])
            }

            @Test(
                "Disposing the resolver fails the look-ups from before a change of the configuration with `closed`",
                arguments: LoopKind.all
            )
            func disposed(_ kind: LoopKind) throws {
                let bench = try Bench(kind)
                defer { bench.end() }
                let early = try bench.begin("one.test")
                try bench.change()
                let other = try bench.begin("two.test")
                bench.resolver.dispose()
                try bench.loop.turns { early.hasEnded && other.hasEnded }
                #expect(early.code == .closed && other.code == .closed)
            }

            @Test(
                "Disposing the loop silently ends the look-ups from before a change of the configuration",
                arguments: LoopKind.all
            )
            func loopDisposed(_ kind: LoopKind) throws {
                let bench = try Bench(kind)
                defer { bench.end() }
                let early = try bench.begin("one.test")
                try bench.change()
                let other = try bench.begin("two.test")
                bench.loop.dispose()
                #expect(!early.hasEnded && !other.hasEnded && bench.resolver.isDisposed)
            }
        }
    }

    /// A resolver whose configuration file can be changed, and its server.
    private final class Bench {
        let loop: any LoopScheduler
        let server: HoldingServer
        let resolver: AresResolver
        private let file: URL

        init(_ kind: LoopKind) throws {
            file = FileManager.default.temporaryDirectory.appendingPathComponent("cares-\(UUID().uuidString)")
            try "options ndots:1\n".write(to: file, atomically: true, encoding: .utf8)
            loop = try kind.make()
            server = try HoldingServer(loop)
            var settings = AresSettings()
            settings.servers = [server.address]
            settings.configurationFile = file.path
            // Longer than any pause of the test, so no question is repeated.
            settings.timeout = .seconds(Latch.limit)
            resolver = AresResolver(loop: loop, settings: settings)
        }

        func end() {
            resolver.dispose()
            loop.dispose()
            try? FileManager.default.removeItem(at: file)
        }

        /// Changes the file. The resolver notices the change at the next look-up.
        func change() throws {
            try "# A new version.\noptions ndots:1\n".write(to: file, atomically: true, encoding: .utf8)
        }

        func look(up host: String) -> Log<[SocketAddress], SocketError> {
            resolver.resolver.addresses(of: host, port: 80, loop: loop, timeout: .seconds(Latch.limit)).log()
        }

        /// Begins a look-up, and runs the loop until the server has both of its questions.
        func begin(_ host: String) throws -> Log<[SocketAddress], SocketError> {
            let log = look(up: host)
            try loop.turns { log.hasEnded || server.count(host) >= 2 }
            return log
        }
    }

    /// A DNS server over UDP that answers when the test says so.
    private final class HoldingServer: Sendable {
        private struct Question {
            let query: DNSQuery
            let peer: SocketAddress
        }

        private let socket: DatagramSocket
        /// The questions without an answer, oldest first.
        private let open = Box<[Question]>([])

        init(_ loop: any LoopScheduler) throws {
            socket = try DatagramSocket(on: .loopback(port: 0), loop: loop)
            socket.received.subscribe(
                onValue: { [open] datagram in
                    guard let peer = datagram.peer,
                        let query = DNSQuery(Array(datagram.bytes), isTCP: false)
                    else { return }
                    open.update { open in open.append(Question(query: query, peer: peer)) }
                },
                onTermination: { _ in }
            )
        }

        var address: SocketAddress { socket.localAddress }

        /// The number of questions about a name without an answer.
        func count(_ name: String) -> Int { open.value.filter { $0.query.name == name }.count }

        /// Answers the questions about a name, except the oldest ones.
        func answer(_ name: String, _ address: String, skipping count: Int = 0) {
            let all = open.value
            let answered = all.filter { $0.query.name == name }.dropFirst(count)
            let skipped = all.filter { $0.query.name == name }.prefix(count)
            open.value = all.filter { $0.query.name != name } + skipped
            for question in answered { socket.send(Bytes(question.query.addresses(address)), to: question.peer) }
        }
    }
#endif
