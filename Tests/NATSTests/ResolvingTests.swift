// SPDX-License-Identifier: MIT
#if NATS
    import LoopTestSupport
    import ReactiveCore
    import ReactiveNATS
    import ReactiveSignals
    import ReactiveSockets
    import SchedulerConformance
    import SchedulerEngine
    import Testing

    extension NATSTests {
        /// Names of servers that a resolver looks up.
        @Suite struct ResolvingTests {
            private let asked = Recorder<String>()

            /// Knows the name `broker.test`, and records the questions.
            private var resolver: Resolver {
                Resolver { [asked] host, port, loop in
                    asked.append("\(host):\(port) \(loop.name)")
                    guard host == "broker.test" else { return .fail(SocketError(.unknownHost, "no host \(host)")) }
                    // Nothing listens at the first address.
                    return .just([try! SocketAddress(host: "127.0.0.9", port: Int(port)), .loopback(port: port)])
                }
            }

            private func connect(_ bench: NATSBench, _ servers: String..., options: NATSOptions = .quick) async
                -> Result<NATSClient, NATSError>
            {
                do {
                    let clients = NATSClient.connect(to: servers, on: bench.loop, resolver: resolver, options: options)
                    return .success(try #require(try await clients.first()))
                } catch let error as NATSError {
                    return .failure(error)
                } catch {
                    return .failure(NATSError(.library, "\(error)"))
                }
            }

            @Test(
                "The names of servers are looked up by the resolver, also before a reconnect",
                arguments: LoopKind.all
            )
            func reconnects(kind: LoopKind) async throws {
                try await withBench(kind) { bench in
                    let client = try await connect(bench, "nats://user:p@broker.test:\(bench.server.port)").get()
                    #expect(asked.values == ["broker.test:\(bench.server.port) nats-test"])
                    #expect(try await failure(of: client.publish("x", to: "y")) == nil)
                    bench.server.kill()
                    try await bench.server.start()
                    try await eventually("another connection") { client.isConnected && asked.count > 1 }
                    #expect(Set(asked.values).count == 1)
                }
            }

            @Test(
                "A server whose name is unknown is skipped, and a numeric address needs no look-up",
                arguments: LoopKind.all
            )
            func skips(kind: LoopKind) async throws {
                try await withBench(kind) { bench in
                    for _ in 0..<4 {
                        let client = try await connect(bench, "nats://unknown.test", bench.server.url).get()
                        #expect(client.isConnected)
                        client.close()
                    }
                    #expect(asked.values.allSatisfy { $0.hasPrefix("unknown.test:4222 ") })
                }
            }

            @Test("Without a known name the connection fails with the name", arguments: LoopKind.all)
            func unknown(kind: LoopKind) async throws {
                try await withBench(kind) { bench in
                    let result = await connect(bench, "nats://a.test:1", "b.test")
                    guard case .failure(let error) = result else { throw CancellationError() }
                    #expect(error.code == .noServer && error.message.contains(".test"), "\(error)")
                    #expect(Set(asked.values.map { $0.prefix(8) }) == ["a.test:1", "b.test:4"])
                }
            }

            @Test("A host in brackets is not looked up", arguments: LoopKind.all)
            func brackets(kind: LoopKind) async throws {
                try await withBench(kind) { bench in
                    guard case .failure = await connect(bench, "nats://[::1%none]:1") else { throw CancellationError() }
                    #expect(asked.values.isEmpty)
                }
            }

            @Test("The certificate must contain the name, not the address", arguments: LoopKind.all)
            func security(kind: LoopKind) async throws {
                let folder = try TestFolder()
                defer { folder.remove() }
                let right = try Certificate(named: "broker.test", in: folder.url)
                let wrong = try Certificate(named: "other.test", in: folder.url)
                for own in [right, wrong] {
                    try await withBench(kind, NATSServer("-c", folder.settings(certificate: own))) { bench in
                        var options = NATSOptions.quick
                        options.security = NATSSecurity(trustedCertificates: own.certificate)
                        let result = await connect(bench, "tls://broker.test:\(bench.server.port)", options: options)
                        switch result {
                        case .success(let client): #expect(client.isConnected && own.key == right.key)
                        case .failure(let error): #expect(error.code == .insecure && own.key == wrong.key, "\(error)")
                        }
                    }
                }
            }

            @Test("Closing the client ends the look-up", arguments: LoopKind.all)
            func close(kind: LoopKind) async throws {
                let loop = try kind.make(name: "nats-test", thread: .owned)
                defer { loop.dispose() }
                let (begun, ended) = (Box(false), Box(false))
                let silent = Resolver { _, _, _ in
                    Signal { _, subscription in
                        begun.value = true
                        subscription.onDispose { ended.value = true }
                    }
                }
                let options = NATSOptions(connectTimeout: .seconds(900))
                let client = NATSClient(to: ["nats://broker.test"], on: loop, resolver: silent, options: options)
                try await eventually("the look-up") { begun.value }
                client.close()
                try await eventually("the end") { ended.value && client.state.value == .closed(nil) }
                try loop.expectNothingLeft()
            }
        }
    }
#endif
