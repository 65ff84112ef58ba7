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
        @Suite struct ConfigurationTests {
            @Test("The search domains of the file apply, and a changed file is noticed", arguments: LoopKind.all)
            func searchDomains(_ kind: LoopKind) throws {
                let folder = FileManager.default.temporaryDirectory.appendingPathComponent("cares-\(UUID().uuidString)")
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
                defer { try? FileManager.default.removeItem(at: folder) }
                let file = folder.appendingPathComponent("resolv.conf")
                func write(_ text: String) throws { try text.write(to: file, atomically: true, encoding: .utf8) }
                try write("search one.test two.test\n")
                try CAres.with(kind, change: { $0.configurationFile = file.path }) { query in
                    query.name == "web.two.test" || query.name == "a.b"
                        ? [query.addresses("192.0.2.1", "2001:db8::1")] : [query.answer([], code: DNSCode.noSuchName)]
                } _: { (_, server, resolver) throws in
                    #expect(try CAres.look(up: "web", resolver).hosts.count == 2)
                    #expect(server.names == ["web.one.test", "web.two.test"])
                    // With a dot, the name itself is asked for first.
                    server.queries.clear()
                    #expect(try CAres.look(up: "a.b", resolver).hosts.count == 2)
                    #expect(server.names == ["a.b"])
                    // The cache belongs to the old search domains.
                    server.queries.clear()
                    try write("search three.test\noptions ndots:2\n")
                    #expect(try CAres.look(up: "web", resolver).code == .unknownHost)
                    #expect(server.names == ["web.three.test", "web"])
                    server.queries.clear()
                    #expect(try CAres.look(up: "a.b", resolver).hosts.count == 2)
                    #expect(server.names == ["a.b.three.test", "a.b"])
                }
            }

            @Test("The hosts file answers before a server is asked", arguments: LoopKind.all)
            func hosts(_ kind: LoopKind) throws {
                let lines = try String(contentsOfFile: "/etc/hosts", encoding: .utf8).split(separator: "\n")
                let names = lines.compactMap { line -> String? in
                    let words = line.prefix { $0 != "#" }.split(whereSeparator: \.isWhitespace)
                    return words.count > 1 ? String(words[1]) : nil
                }
                try CAres.with(kind) { _ in
                    []
                } _: { (loop, server, resolver) throws in
                    for name in ["localhost"] + names {
                        let expected = Resolver.system.addresses(of: name, port: 80, loop: loop).log()
                        try loop.turns { expected.hasEnded }
                        let log = try CAres.look(up: name, resolver)
                        #expect(
                            log.isCompleted && !Set(log.hosts).isDisjoint(with: expected.hosts),
                            "\(name): \(log.hosts)"
                        )
                    }
                    #expect(server.queries.count == 0)
                }
            }

            @Test("Options of the file apply unless a setting replaces them", arguments: LoopKind.all)
            func options(_ kind: LoopKind) throws {
                let file = FileManager.default.temporaryDirectory.appendingPathComponent("cares-\(UUID().uuidString)")
                defer { try? FileManager.default.removeItem(at: file) }
                // The last option is not valid, so the default applies.
                let cases: [(options: String, tries: Int?, timeout: Duration?, count: Int)] = [
                    ("attempts:1 timeout:1", nil, nil, 2), ("attempts:1 timeout:1", 3, .milliseconds(5), 6),
                    ("attempts:0", nil, .milliseconds(5), 4),
                ]
                for (options, tries, timeout, count) in cases {
                    try "options \(options)\n".write(to: file, atomically: true, encoding: .utf8)
                    try CAres.with(kind) {
                        $0.configurationFile = file.path
                        $0.tries = tries
                        $0.timeout = timeout
                    } _: { _ in
                        []
                    } _: { (_, server, resolver) throws in
                        #expect(try CAres.look(up: "web.test", resolver).code == .unknownHost)
                        #expect(server.queries.count == count)
                    }
                }
            }
        }
    }
#endif
