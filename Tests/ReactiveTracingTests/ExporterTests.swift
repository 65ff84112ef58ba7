// SPDX-License-Identifier: MIT
#if Tracing
    import LoopTestSupport
    import ReactiveCore
    import ReactiveHTTP
    import ReactiveSignals
    import ReactiveSockets
    import ReactiveTracing
    import SchedulerConformance
    import SchedulerEngine
    import Testing
    import Tracing
    import TracingTestSupport

    /// Batches, limits and the end of an exporter.
    @Suite struct ExporterTests {
        private func wait(for signal: Signal<Never, Never>) throws {
            let latch = Latch()
            signal.subscribe(onTermination: { _ in latch.arrive() })
            try latch.wait("the exporter")
        }

        @Test("Spans are sent in batches, and a flush waits for all of them", arguments: LoopKind.all)
        func batches(_ kind: LoopKind) throws {
            let collector = try Collector(kind) { limits in
                limits.batch = 10
                limits.delay = .seconds(3600)
            }
            for number in 0..<25 { collector.tracer.startSpan("span \(number)").end() }
            try wait(for: collector.tracer.exporter.flush())
            #expect(collector.spans.map(\.name) == (0..<25).map { "span \($0)" })
            #expect(collector.requests.count == 3)
            #expect(collector.tracer.exporter.statistics.sent == 25)
            try wait(for: collector.tracer.exporter.flush())
            collector.stop()
        }

        @Test("Beyond its limits the exporter drops spans and counts them")
        func limits() throws {
            let collector = try Collector(.dispatch) { limits in
                limits.spans = 5
                limits.delay = .seconds(3600)
            }
            for number in 0..<8 { collector.tracer.startSpan("span \(number)").end() }
            #expect(collector.tracer.exporter.statistics.dropped == 3)
            try wait(for: collector.tracer.exporter.flush())
            #expect(collector.spans.count == 5)
            collector.tracer.startSpan("later").end()
            try wait(for: collector.tracer.exporter.stop(within: .seconds(600)))
            #expect(collector.spans.last?.name == "later")
            collector.tracer.startSpan("too late").end()
            #expect(collector.tracer.exporter.statistics.dropped == 4)
            collector.stop()
        }

        @Test("A batch of less than one span counts as one")
        func smallestBatch() {
            var limits = SpanExporterLimits()
            limits.batch = 0
            #expect(limits.batch == 1)
        }

        @Test("Large spans count by their size")
        func sizes() throws {
            let collector = try Collector(.dispatch) { limits in
                limits.bytes = 2000
                limits.delay = .seconds(3600)
            }
            for _ in 0..<4 {
                let span = collector.tracer.startSpan("large")
                span.attributes["text"] = String(repeating: "ä", count: 10_000)
                span.end()
            }
            #expect(collector.tracer.exporter.statistics.dropped == 3)
            try wait(for: collector.tracer.exporter.flush())
            // Texts are cut between characters.
            #expect(collector.spans.first?.attributes["text"] == String(repeating: "ä", count: 512))
            collector.stop()
        }

        @Test("A busy collector is asked again, and other refusals are counted")
        func refusals() throws {
            let busy = try Collector(.dispatch, answering: [503, 429])
            busy.tracer.startSpan("kept").end()
            try wait(for: busy.tracer.exporter.flush())
            #expect(busy.spans.map(\.name) == ["kept"])
            busy.stop()
            let strict = try Collector(.dispatch, answering: [400])
            strict.tracer.startSpan("refused").end()
            try wait(for: strict.tracer.exporter.flush())
            #expect(strict.tracer.exporter.statistics.failed == 1)
            #expect(strict.spans.isEmpty)
            strict.stop()
        }

        @Test("An exporter that nothing answers stops within its limit")
        func silence() throws {
            let loop = try LoopKind.dispatch.make(thread: .owned)
            let (descriptor, address) = RawSocket.listener()
            let listener = OwnedDescriptor(descriptor)
            let client = HTTPClient(loops: LoopGroup(loop))
            var limits = SpanExporterLimits()
            limits.batch = 1
            let exporter = SpanExporter(to: "http://\(address)/", client: client, service: "test", limits: limits)
            let tracer = OTLPTracer(exporter)
            tracer.startSpan("sent").end()
            tracer.startSpan("waits").end()
            try wait(for: exporter.stop(within: .milliseconds(50)))
            #expect(exporter.statistics.sent == 0)
            #expect(exporter.statistics.dropped == 2)
            client.stop()
            loop.dispose()
            listener.close()
        }

        @Test("Spans that a stop has dropped are not sent when their delay ends", arguments: LoopKind.all)
        func dropped(_ kind: LoopKind) throws {
            let clock = ManualClock()
            let loop = try kind.make(clock: clock)
            let (descriptor, address) = RawSocket.listener()
            let listener = OwnedDescriptor(descriptor)
            let client = HTTPClient(loops: LoopGroup(loop))
            var limits = SpanExporterLimits()
            (limits.batch, limits.retries, limits.delay) = (2, 0, .seconds(3600))
            let exporter = SpanExporter(to: "http://\(address)/", client: client, service: "test", limits: limits)
            let tracer = OTLPTracer(exporter)
            // The first span begins the delay, the second one completes a batch, and the third one waits.
            for number in 0..<3 { tracer.startSpan("span \(number)").end() }
            try loop.turns(3)
            let stopped = exporter.stop(within: .seconds(1)).log()
            clock.advance(by: .seconds(1))
            try loop.turns { stopped.hasEnded }
            // A stopped client refuses requests at once.
            let closed = client.stop().log()
            try loop.turns { closed.hasEnded }
            clock.advance(by: .seconds(7200))
            try loop.turns(3)
            var expected = SpanExporterStatistics()
            expected.dropped = 3
            #expect(exporter.statistics == expected)
            try loop.expectNothingLeft()
            loop.dispose()
            listener.close()
        }

        @Test("All kinds of attributes, links and events")
        func contents() throws {
            let collector = try Collector(.dispatch)
            let other = collector.tracer.startSpan("other")
            let span = collector.tracer.startSpan("all", ofKind: .producer)
            span.attributes = [
                "text": "a", "empty": "", "bool": true, "int": -5, "double": 1.5, "texts": .stringArray(["b", "c"]),
                "ints": .int64Array([1, -1]), "bools": .boolArray([true, false]), "doubles": .doubleArray([0.5]),
                "object": .stringConvertible(SocketAddress.loopback(port: 1)),
            ]
            span.addLink(SpanLink(context: other.context, attributes: [:]))
            for _ in 0..<130 { span.addEvent("event") }
            span.setStatus(SpanStatus(code: .ok))
            span.operationName = "renamed"
            span.end()
            span.operationName = "too late"
            #expect(!span.isRecording)
            let received = try collector.span("renamed")
            #expect(received.attributes["empty"] == "")
            #expect(received.attributes["int"] == "-5")
            #expect(received.attributes["double"] == "1.5")
            #expect(received.attributes["texts"] == "[b, c]")
            #expect(received.attributes["ints"] == "[1, -1]")
            #expect(received.attributes["bools"] == "[true, false]")
            #expect(received.attributes["object"] == "127.0.0.1:1")
            #expect(received.events.count == 128)
            #expect(received.kind == 4)
            #expect(received.status == 1)
            collector.stop()
        }

        @Test("A ratio samples a part of the new traces")
        func sampling() throws {
            let none = try Collector(.dispatch, samplingRatio: 0)
            #expect(!none.tracer.startSpan("none").isRecording)
            #expect(OTLPTracer(none.tracer.exporter, samplingRatio: .nan).samplingRatio == 0)
            #expect(OTLPTracer(none.tracer.exporter, samplingRatio: 1.5).samplingRatio == 1)
            let half = OTLPTracer(none.tracer.exporter, samplingRatio: 0.5)
            let sampled = (0..<1000).filter { _ in half.startSpan("half").isRecording }.count
            // Outside of this range once in 10^30 runs.
            #expect((300...700).contains(sampled))
            none.stop()
        }
    }
#endif
