// SPDX-License-Identifier: MIT
#if HTTP
    import HTTPTypes
    import LoopTestSupport
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets
    import SchedulerConformance
    import SchedulerEngine
    import Testing

    @testable import ReactiveHTTP

    /// Event streams over sockets, on each loop.
    @Suite struct EventStreamTests {
        private static let get = "GET /events HTTP/1.1\r\nHost: a\r\nLast-Event-ID: 41\r\n\r\n"

        @Test("A stream of events, from the last identifier to the end", arguments: LoopKind.all)
        func stream(_ kind: LoopKind) throws {
            let fixture = try HTTPFixture(kind) { request in
                let next = (request.lastEventID.flatMap { Int($0) } ?? 0) + 1
                let events = (next..<next + 3).map { ServerSentEvent("number\n\($0)", event: "count", id: "\($0)") }
                return .events(Signal<ServerSentEvent, Never>(values: events))
            }
            let client = try fixture.connect()
            let response = try fixture.exchange(Self.get, on: client)
            #expect(
                response.fields["content-type"] == "text/event-stream" && response.fields["cache-control"] == "no-store"
            )
            var parser = EventStreamParser()
            parser.feed(Bytes(response.body))
            var ids: [String?] = []
            while let event = try parser.next() {
                ids.append(event.id)
                #expect(event.event == "count" && event.data == "number\n\(event.id ?? "")")
            }
            #expect(ids == ["42", "43", "44"])
        }

        @Test("Comments are sent in silence only, and end with the source", arguments: LoopKind.all)
        func keepAlive(_ kind: LoopKind) throws {
            let clock = ManualClock()
            let source = Subject<ServerSentEvent, HTTPError>()
            let fixture = try HTTPFixture(kind, clock: clock) { _ in .events(source, keepAlive: .seconds(10)) }
            let client = try fixture.connect()
            try fixture.send(Self.get, from: client)
            var text = ""
            func advance(_ seconds: Int) throws {
                clock.advance(by: .seconds(seconds))
                try fixture.loop.turns(10)
                while case .bytes(let bytes) = client.receive() { text += String(decoding: bytes, as: UTF8.self) }
            }
            try fixture.loop.turns { source.hasBeenObserved }
            try advance(0)
            #expect(text.contains("\r\n\r\n") && !text.contains(":\n\n"))
            try advance(10)
            #expect(text.hasSuffix("3\r\n:\n\n\r\n"))
            text = ""
            try advance(9)
            source.send(ServerSentEvent("x"))
            try advance(1)
            #expect(text.contains("data: x\n\n") && !text.contains(":\n\n"))
            text = ""
            try advance(10)
            #expect(text == "3\r\n:\n\n\r\n")
            text = ""
            source.complete()
            try advance(0)
            #expect(text == "0\r\n\r\n")
            text = ""
            try advance(30)
            #expect(text == "")
        }

        @Test("A browser that does not read pauses the source", arguments: LoopKind.all)
        func slowReader(_ kind: LoopKind) throws {
            let sent = Box(0)
            let fixture = try HTTPFixture(kind) { _ in
                let events = Signal<Int, Never>(values: 0..<1_000_000).map { number in
                    sent.value = number
                    return ServerSentEvent(String(repeating: "x", count: 10_000), id: "\(number)")
                }
                return .events(events)
            }
            let client = try fixture.connect()
            try fixture.send(Self.get, from: client)
            var before = -1
            while before != sent.value, sent.value < 3000 {
                before = sent.value
                try fixture.loop.turns(300)
            }
            #expect(sent.value == before && before < 3000, "\(before)")
            var received = 0
            try fixture.loop.turns {
                if case .bytes(let bytes) = client.receive(200_000) { received += bytes.count }
                return received > 2 * before * 10_000 + 10_000_000
            }
            #expect(sent.value > before)
            client.reset()
            try fixture.loop.turns { fixture.server.connectionCount.value == 0 }
        }

        @Test("A comment finds a browser that has left", arguments: LoopKind.all)
        func leaving(_ kind: LoopKind) throws {
            let source = Subject<ServerSentEvent, HTTPError>()
            let fixture = try HTTPFixture(kind) { _ in .events(source, keepAlive: .milliseconds(1)) }
            let client = try fixture.connect()
            try fixture.send(Self.get, from: client)
            try fixture.loop.turns { source.hasBeenObserved }
            client.close()
            try fixture.loop.turns { fixture.server.connectionCount.value == 0 }
        }

        @Test("A drain completes the events, also of a response that begins after it", arguments: LoopKind.all)
        func drain(_ kind: LoopKind) throws {
            let answer = Subject<HTTPResponseMessage, HTTPError>()
            let source = Subject<ServerSentEvent, HTTPError>()
            let fixture = try HTTPFixture(kind) { request in
                request.head.path == "/late" ? answer.signal : .just(.events(source))
            }
            let (client, late) = (try fixture.connect(), try fixture.connect())
            try fixture.send(Self.get, from: client)
            try fixture.send("GET /late HTTP/1.1\r\nHost: a\r\n\r\n", from: late)
            try fixture.loop.turns { source.hasBeenObserved && answer.hasBeenObserved }
            source.send(ServerSentEvent("x"))
            fixture.server.drain(within: .seconds(3600))
            let (text, end) = try fixture.receiveToEnd(at: client)
            #expect(text.hasSuffix("data: x\n\n\r\n0\r\n\r\n") && end == .end, "\(text)")
            fixture.loop.execute { answer.send(.events(source)) }
            let (lateText, lateEnd) = try fixture.receiveToEnd(at: late)
            #expect(lateText.hasSuffix("\r\n\r\n0\r\n\r\n") && lateEnd == .end, "\(lateText)")
            client.close()
            late.close()
            try fixture.loop.turns { fixture.server.state.value == .stopped }
            #expect(fixture.failures.values.isEmpty && fixture.server.totals.failed == 0)
        }

        @Test("The events of a body, with a pause after each, and a failure after the events before it")
        func operatorOnBody() throws {
            let text = "data: 1\n\ndata: 2\n\ndata: 3\n\n"
            let bytes = Subject<Bytes, HTTPError>()
            let events = Recorder<String>()
            let subscription = SignalSubscription()
            let end = Box<Termination<HTTPError>?>(nil)
            var limits = EventStreamLimits()
            limits.lineBytes = 20
            bytes.signal.serverSentEvents(limits: limits).subscribe(
                in: subscription,
                onValue: { events.append($0.data) },
                onTermination: { end.value = $0 }
            )
            bytes.send(Bytes(text + "data: 4"))
            #expect(events.values == ["1", "2", "3"])
            let pause = subscription.pause()
            bytes.send("\n\ndata: 5\n\ndata: 012345678901234567890")
            #expect(events.values == ["1", "2", "3"] && end.value == nil)
            pause.dispose()
            #expect(events.values == ["1", "2", "3", "4", "5"])
            guard case .failed(let error) = end.value else {
                Issue.record("not failed")
                return
            }
            #expect(error.code == .contentTooLarge)
        }
    }
#endif
