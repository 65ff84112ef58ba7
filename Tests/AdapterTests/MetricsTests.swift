// SPDX-License-Identifier: MIT
#if Metrics
    import CoreMetrics
    import LoopTestSupport
    import MetricsTestKit
    import ReactiveCore
    import ReactiveMetrics
    import ReactiveSignals
    import ReactiveSockets
    import Testing

    @Suite struct MetricsTests {
        @Test("A server records connections, bytes and durations through the given factory", arguments: LoopKind.all)
        func counting(_ loop: LoopKind) async throws {
            let site = try Site(loop)
            let metrics = TestMetrics()
            site.server.record(prefix: "echo", dimensions: [("site", "here")], factory: metrics)
            for text in ["one", "three"] { #expect(try await site.exchange(text) == Bytes(text)) }
            let open = try await site.connect()
            open.send("x")
            var chunks = open.received.values(limit: 1).makeAsyncIterator()
            #expect(try await chunks.next() == "x")
            try await site.stop()
            func total(_ name: String) throws -> Int64 {
                try metrics.expectCounter("echo.\(name)", [("site", "here")]).totalValue
            }
            #expect(try total("connections.accepted") == 3)
            #expect(try total("connections.ended") == 3)
            #expect(try total("connections.failed") == 1)
            #expect(try total("connections.refused") == 0)
            #expect(try total("bytes.received") == 9 && total("bytes.sent") == 9)
            #expect(try metrics.expectMeter("echo.connections", [("site", "here")]).lastValue == 0)
            let durations = try metrics.expectTimer("echo.connections.duration", [("site", "here")]).values
            #expect(durations.count == 3)
            #expect(durations.allSatisfy { $0 > 0 })
        }

        @Test("A disposed recording records nothing more")
        func disposed() async throws {
            let site = try Site(.dispatch)
            let metrics = TestMetrics()
            site.server.record(prefix: "echo", factory: metrics).dispose()
            #expect(try await site.exchange("one") == "one")
            try await site.stop()
            #expect(try metrics.expectCounter("echo.connections.accepted").totalValue == 0)
        }
    }
#endif
