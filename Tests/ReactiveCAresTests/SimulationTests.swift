// SPDX-License-Identifier: MIT
#if CAres
    import ReactiveCAres
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSimulation
    import ReactiveSockets
    import SchedulerConformance
    import Testing

    extension CAres {
        @Suite struct SimulationTests {
            @Test("In a simulation, the simulated host resolves the names")
            func simulated() throws {
                let echoes = Recorder<String>()
                try Simulation.explore(seeds: 1...5) { world in
                    let server = world.host("server"), client = world.host("client")
                    let address = server.address(port: 7000)
                    server.start { loop in
                        try Server(on: address, loops: LoopGroup(loop)) { $0.send(from: $0.received) }
                    }
                    client.start { loop in
                        let resolver = AresResolver(loop: loop).resolver
                        Connection.connect(toHost: "server", port: 7000, loop: loop, resolver: resolver)
                            .flatMap(.latest) { connection in
                                connection.send(line: "hello")
                                return connection.lines.take(1)
                            }
                            .subscribe(onValue: { echoes.append($0) }, onTermination: { _ in })
                    }
                    try world.run(for: .seconds(60))
                }
                // One seed runs twice.
                #expect(echoes.count >= 5 && echoes.values.allSatisfy { $0 == "hello" })
            }
        }
    }
#endif
