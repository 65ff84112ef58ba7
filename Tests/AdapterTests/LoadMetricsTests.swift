// SPDX-License-Identifier: MIT
#if Metrics
    import CoreMetrics
    import LoopTestSupport
    import MetricsTestKit
    import ReactiveCommands
    import ReactiveCore
    import ReactiveMetrics
    import ReactiveSignals
    import SchedulerEngine
    import Testing

    @Suite struct LoadMetricsTests {
        private let clock = ManualClock()

        /// A limiter of two requests at a time. Its queue time is overloaded after waits of more than 5 ms.
        private func limiter(_ loop: any LoopScheduler) -> LoadLimiter {
            LoadLimiter(
                on: loop,
                concurrency: ConcurrencyLimit(initial: 2, minimum: 2, maximum: 2),
                queueTime: QueueTimeLimit()
            )
        }

        @Test("A limiter records requests, the limit and the times of the queue", arguments: LoopKind.all)
        func recording(_ kind: LoopKind) throws {
            let loop = try kind.make(clock: clock)
            defer { loop.dispose() }
            let (limiter, metrics) = (limiter(loop), TestMetrics())
            limiter.begin()?.end(.completed)
            let dimensions = [("zone", "a")]
            limiter.record(prefix: "orders", dimensions: dimensions, factory: metrics)
            func total(_ name: String) throws -> Int64 {
                try metrics.expectCounter("orders.requests.\(name)", dimensions).totalValue
            }
            func meter(_ name: String) throws -> Double? { try metrics.expectMeter(name, dimensions).lastValue }
            func times(_ name: String) throws -> [Int64] {
                try metrics.expectTimer("orders.requests.\(name)", dimensions).values
            }
            #expect(try meter("orders.requests") == 0 && meter("orders.requests.limit") == 2)
            let (one, two) = (limiter.begin(), limiter.begin())
            #expect(limiter.begin() == nil)
            #expect(try meter("orders.requests") == 2 && total("admitted") == 2 && total("rejected") == 1)
            clock.advance(by: .milliseconds(3))
            #expect(one?.mayStart() == true)
            clock.advance(by: .milliseconds(4))
            one?.end(.completed)
            two?.end(.dropped)
            #expect(try meter("orders.requests") == 0 && total("completed") == 1 && total("dropped") == 1)
            #expect(try times("queued") == [3_000_000] && times("duration") == [7_000_000])
            // Two intervals in which each request waits for 50 ms make the queue overloaded.
            for _ in 0..<6 {
                let admission = limiter.begin()
                clock.advance(by: .milliseconds(50))
                if admission?.mayStart() == false { admission?.end(.ignored) }
            }
            let expired = limiter.totals.expired
            #expect(expired > 0)
            #expect(try total("expired") == Int64(expired) && total("ignored") == Int64(limiter.totals.ignored))
            #expect(try times("queued").count == 7)
        }

        @Test("A disposed recording records nothing more, and no recording retains the limiter")
        func disposed() throws {
            let loop = try LoopKind.dispatch.make(clock: clock)
            defer { loop.dispose() }
            let metrics = TestMetrics()
            weak var released: LoadLimiter?
            do {
                let limiter = limiter(loop)
                released = limiter
                limiter.record(prefix: "a", factory: metrics)
                limiter.record(prefix: "b", factory: metrics).dispose()
                limiter.begin()?.end(.completed)
            }
            #expect(try metrics.expectCounter("a.requests.completed").totalValue == 1)
            #expect(try metrics.expectCounter("b.requests.completed").totalValue == 0)
            #expect(released == nil)
        }
    }
#endif
