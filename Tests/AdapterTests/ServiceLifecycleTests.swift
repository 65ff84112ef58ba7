// SPDX-License-Identifier: MIT
#if ServiceLifecycle
    import Logging
    import LoopTestSupport
    import ReactiveCore
    import ReactiveServiceLifecycle
    import ReactiveSignals
    import ReactiveSockets
    import SchedulerConformance
    import ServiceLifecycle
    import ServiceLifecycleTestKit
    import Testing

    @Suite struct ServiceLifecycleTests {
        @Test("Graceful shutdown waits for open connections before the run returns", arguments: LoopKind.all)
        func graceful(_ loop: LoopKind) async throws {
            let site = try Site(loop)
            try await testGracefulShutdown { trigger in
                async let run: Void = ServerService(grace: .seconds(Latch.limit)) { site.server }.run()
                let open = try await site.connect()
                var chunks = open.received.values(limit: 1).makeAsyncIterator()
                open.send("before")
                #expect(try await chunks.next() == "before")
                trigger.triggerGracefulShutdown()
                try await site.reaches(.draining)
                open.send("after")
                #expect(try await chunks.next() == "after")
                open.finishSending()
                #expect(try await chunks.next() == nil)
                try await run
            }
            #expect(site.server.state.value == .stopped && site.server.totals.failed == 0)
            site.dispose()
        }

        @Test("When the grace period ends, the server aborts the remaining connections", arguments: LoopKind.all)
        func grace(_ loop: LoopKind) async throws {
            let site = try Site(loop)
            try await testGracefulShutdown { trigger in
                async let run: Void = ServerService(grace: .milliseconds(20)) { site.server }.run()
                let open = try await site.connect()
                open.send("before")
                var chunks = open.received.values(limit: 1).makeAsyncIterator()
                #expect(try await chunks.next() == "before")
                trigger.triggerGracefulShutdown()
                try await run
                // This use retains the connection until here. An unreferenced connection closes itself.
                open.abort()
            }
            #expect(site.server.state.value == .stopped && site.server.totals.failed == 1)
            site.dispose()
        }

        @Test("A cancelled run stops the server at once and waits for it to close", arguments: LoopKind.all)
        func cancelled(_ loop: LoopKind) async throws {
            let site = try Site(loop)
            let run = Task { try await ServerService(grace: .seconds(3600)) { site.server }.run() }
            let open = try await site.connect()
            open.send("before")
            var chunks = open.received.values(limit: 1).makeAsyncIterator()
            #expect(try await chunks.next() == "before")
            run.cancel()
            try await site.reaches(.stopped)
            try await run.value
            #expect(site.server.state.value == .stopped)
            // This use retains the connection until here. An unreferenced connection closes itself.
            open.abort()
            site.dispose()
        }

        @Test("In a service group, a server that cannot listen ends the run with its error")
        func group() async throws {
            let site = try Site(.dispatch)
            let (address, group) = (site.server.localAddress, site.group)
            let service = ServerService { try Server(on: address, loops: group) { $0.send(from: $0.received) } }
            let services = ServiceGroup(services: [service], logger: Logger(label: "test"))
            await #expect(throws: SocketError(.addressInUse, "")) { try await services.run() }
            try await site.stop()
        }
    }
#endif
