// SPDX-License-Identifier: MIT
#if NATS
    import LoopTestSupport
    import ReactiveCore
    import ReactiveNATS
    import ReactiveSignals
    import ReactiveSockets
    import SchedulerConformance
    import Testing

    extension NATSTests {
        /// Subjects that are longer than the server's limit: they affect only the calls that use them.
        @Suite struct ControlLineTests {
            private static func subject(_ count: Int) -> String { String(repeating: "a", count: count) }

            @Test("A subject beyond the limit fails with subjectTooLong and is not sent", arguments: LoopKind.all)
            func whatIsTooLongIsRefusedAndNotSent(kind: LoopKind) async throws {
                try await withBench(kind) { bench in
                    let client = try await bench.client()
                    let (long, half) = (Self.subject(5000), Self.subject(2500))
                    #expect(try await failure(of: client.publish("1", to: long))?.code == .subjectTooLong)
                    let message = NATSMessage("1", to: half, reply: half)
                    #expect(try await failure(of: client.publish(message))?.code == .subjectTooLong)
                    #expect(try await failure(of: client.request(NATSMessage("1", to: long)))?.code == .subjectTooLong)
                    #expect(try await failure(of: client.subscribe(long))?.code == .subjectTooLong)
                    #expect(try await failure(of: client.subscribe(half, queueGroup: half))?.code == .subjectTooLong)
                    #expect(try await failure(of: client.jetStream.publish("1", to: long))?.code == .subjectTooLong)
                    #expect(try await failure(of: client.jetStream.stream(long))?.code == .subjectTooLong)
                    #expect(client.isConnected)
                    #expect(client.statistics.reconnects == 0)
                }
            }

            @Test("A subject just below the limit is sent", arguments: LoopKind.all)
            func whatFitsIsSent(kind: LoopKind) async throws {
                try await withBench(kind) { bench in
                    let client = try await bench.client()
                    let subject = Self.subject(4096 - 32)
                    let recording = try await client.record(subject)
                    #expect(try await failure(of: client.publish("1", to: subject)) == nil)
                    let message = NATSMessage("2", to: subject, headers: ["A": "b"])
                    #expect(try await failure(of: client.publish(message)) == nil)
                    try await eventually("both") { recording.texts == ["1", "2"] }
                    #expect(client.statistics.reconnects == 0)
                }
            }

            @Test("An error that is not about a long line does not lower the limit", arguments: LoopKind.all)
            func anotherError(kind: LoopKind) async throws {
                let folder = try TestFolder()
                defer { folder.remove() }
                let user = "{ user: a, password: b, permissions: { publish: { deny: secret } } }"
                let settings = try folder.settings(authorization: "users: [ \(user) ]")
                try await withBench(kind, NATSServer("-c", settings)) { bench in
                    var options = NATSOptions.quick
                    options.credentials = .user("a", password: "b")
                    let client = try await bench.client(options)
                    let reported = Recorder<NATSError.Code>()
                    client.events.subscribe(onValue: { event in
                        if case .reported(let error) = event { reported.append(error.code) }
                    })
                    let subject = Self.subject(500)
                    #expect(try await failure(of: client.publish("1", to: subject)) == nil)
                    client.publish("1", to: "secret")
                    try await eventually("the error") { reported.values == [.notPermitted] }
                    #expect(try await failure(of: client.publish("2", to: subject)) == nil)
                }
            }

            @Test("The longest of several lines determines the lower limit", arguments: LoopKind.all)
            func severalLines(kind: LoopKind) async throws {
                let folder = try TestFolder()
                defer { folder.remove() }
                let settings = try folder.file("small.conf", "max_control_line: 512\n")
                try await withBench(kind, NATSServer("-c", settings)) { bench in
                    let client = try await bench.client()
                    let (long, short) = (Self.subject(900), Self.subject(300))
                    bench.loop.execute {
                        client.publish("1", to: long)
                        client.publish("1", to: short)
                    }
                    try await eventually("another connection") {
                        client.statistics.reconnects == 1 && client.isConnected
                    }
                    #expect(try await failure(of: client.publish("2", to: short)) == nil)
                }
            }

            /// The limit of this server is lower than the client assumes.
            @Test(
                "A line that made the server close the connection is not sent again",
                arguments: LoopKind.all
            )
            func aLowerLimitIsLearnt(kind: LoopKind) async throws {
                let folder = try TestFolder()
                defer { folder.remove() }
                let settings = try folder.file("small.conf", "max_control_line: 512\n")
                try await withBench(kind, NATSServer("-c", settings, "-js")) { bench in
                    let client = try await bench.client()
                    let other = try await client.record("short")
                    _ = try await client.jetStream.create(NATSStreamSettings("S", subjects: ["s"])).last()
                    for attempt in 1...3 {
                        // Each subject is shorter than the previous one, and still too long.
                        let subject = Self.subject(1000 - attempt * 100)
                        let results = [
                            try await failure(of: client.subscribe(subject)),
                            try await failure(of: client.jetStream.publish("1", to: subject)),
                        ]
                        #expect(results.allSatisfy { $0?.code == .subjectTooLong }, "\(results)")
                        try await eventually("the connection") { client.isConnected }
                        #expect(client.statistics.reconnects == attempt)
                    }
                    client.publish("1", to: "short")
                    try await eventually("a message") { other.texts == ["1"] }
                    #expect(try await failure(of: client.subscribe(Self.subject(900)))?.code == .subjectTooLong)
                    #expect(client.statistics.reconnects == 3)
                }
            }
        }
    }
#endif
