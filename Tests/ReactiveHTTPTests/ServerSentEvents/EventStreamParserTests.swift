// SPDX-License-Identifier: MIT
#if HTTP
    import ReactiveSignals
    import ReactiveSockets
    import ReactiveSupport
    import SchedulerConformance
    import Testing

    @testable import ReactiveHTTP

    @Suite struct EventStreamParserTests {
        private func parse(_ parts: [[UInt8]], _ limits: EventStreamLimits = EventStreamLimits()) -> (
            events: [ServerSentEvent], parser: EventStreamParser, failure: HTTPError?
        ) {
            var parser = EventStreamParser(limits: limits)
            var events: [ServerSentEvent] = []
            do throws(HTTPError) {
                for part in parts {
                    parser.feed(Bytes(part))
                    while let event = try parser.next() { events.append(event) }
                }
                return (events, parser, nil)
            } catch {
                return (events, parser, error)
            }
        }

        private func events(_ text: String) -> [ServerSentEvent] { parse([Array(text.utf8)]).events }

        @Test("The examples of the HTML Standard, section 9.2.6")
        func examples() {
            #expect(events("data: YHOO\ndata: +2\ndata: 10\n\n") == [ServerSentEvent("YHOO\n+2\n10")])
            let text = ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n"
            #expect(events(text) == [ServerSentEvent("first event", id: "1"), ServerSentEvent("second event")])
            #expect(events("data\n\ndata\ndata\n\ndata:") == [ServerSentEvent(""), ServerSentEvent("\n")])
            #expect(events("data:test\n\ndata: test\n\n") == [ServerSentEvent("test"), ServerSentEvent("test")])
        }

        @Test("Fields that are unknown, invalid or without data")
        func fields() {
            #expect(events("event: a\n\ndata: b\n\n") == [ServerSentEvent("b")])
            #expect(
                events("event: a\ndata: b\n\ndata: c\n\n") == [ServerSentEvent("b", event: "a"), ServerSentEvent("c")]
            )
            #expect(events("Data: a\n data: b\ndatas: c\n\n").isEmpty)
            #expect(events("id: 1\n\ndata: a\n\nid: 2\0\ndata: b\n\n").map(\.id) == ["1", "1"])
            #expect(events("retry: 10\ndata: a\n\n") == [ServerSentEvent("a", retry: .milliseconds(10))])
            for text in ["1x", "-1", "", "99999999999999999999", "１"] {
                #expect(events("retry: \(text)\ndata: a\n\n") == [ServerSentEvent("a")], "\(text)")
            }
            #expect(parse([Array("retry: 7\n\nid: x\n\n".utf8)]).parser.reconnectionTime == .milliseconds(7))
            #expect(parse([Array("retry: 7\n\nid: x\n\n".utf8)]).parser.lastEventID == "x")
            // The event of the second identifier has not ended.
            #expect(parse([Array("id: 4\ndata: x\n\nid: 5\ndata: y\n".utf8)]).parser.lastEventID == "4")
            #expect(events("data: \u{FEFF}a\n\n") == [ServerSentEvent("\u{FEFF}a")])
            // Only the first line may begin with a byte order mark.
            #expect(events("\u{FEFF}data: a\n\u{FEFF}data: b\n\n") == [ServerSentEvent("a")])
        }

        @Test("Every split of a stream with every line end gives the same events")
        func splits() {
            let lines = "id: 1\ndata: ä\ndata:\n\n: comment\nevent: x\nretry: 5\ndata: b: c\n\n\ndata: last\n\n"
            for end in ["\n", "\r", "\r\n"] {
                for mark in [[], [0xEF, 0xBB, 0xBF]] as [[UInt8]] {
                    let bytes =
                        mark
                        + lines.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: end).utf8
                    let whole = parse([bytes]).events
                    #expect(whole.count == 3 && whole[0] == ServerSentEvent("ä\n", id: "1"), "\(whole)")
                    #expect(parse(bytes.map { [$0] }).events == whole)
                    for first in 0...bytes.count {
                        for second in first...bytes.count {
                            let parts = [bytes[..<first], bytes[first..<second], bytes[second...]].map(Array.init)
                            if parse(parts).events != whole { Issue.record("split at \(first), \(second)") }
                        }
                    }
                }
            }
        }

        @Test("Lines and events have limits, and the events before an excess arrive in every split")
        func limits() {
            var limits = EventStreamLimits()
            (limits.lineBytes, limits.eventBytes) = (10, 20)
            for (text, count) in [
                ("data:12345\n\n", 1), ("data: 1234\n\ndata:123456\n\n", 1), ("data:0123456789", 0),
                ("data:1234\ndata:1234\ndata:1234\ndata:1234\n\n", 1),
                ("data:12345\ndata:1234\ndata:1234\ndata:1234\n\n", 0),
                ("\n:2345678901", 0), ("id:1\n\nid:1234567\ndata:1234\n\nid:12345678", 1),
            ] {
                let bytes = Array(text.utf8)
                let whole = parse([bytes], limits)
                let single = parse(bytes.map { [$0] }, limits)
                #expect(whole.events.count == count && single.events == whole.events, "\(text)")
                #expect(whole.failure == single.failure, "\(text)")
                #expect(whole.failure == nil || whole.failure?.code == .contentTooLarge)
                #expect(
                    (whole.failure == nil) == (text.hasSuffix("\n\n") && count == 1 && !text.contains("456\n")),
                    "\(text)"
                )
            }
            // The bytes of each event count by themselves.
            #expect(parse([Array(String(repeating: "data:1234\n\n", count: 9).utf8)], limits).events.count == 9)
        }

        @Test("What is encoded is received, 3,000 times, and no field can inject a line")
        func roundTrip() throws {
            var random = SplitMix64(seed: 9)
            let pieces = [
                "a", ":", " ", "\n", "\r", "\r\n", "\0", "ä", "data: x", "\n\n", "id: 9", "\u{2028}", "\u{301}", "",
            ]
            func text() -> String {
                (0..<Int.random(in: 0..<6, using: &random)).map { _ in pieces.randomElement(using: &random)! }.joined()
            }
            for _ in 0..<3000 {
                let sent = ServerSentEvent(
                    text(),
                    event: Bool.random(using: &random) ? text() : nil,
                    id: Bool.random(using: &random) ? text() : nil,
                    retry: Bool.random(using: &random) ? .milliseconds(Int.random(in: -5...5, using: &random)) : nil
                )
                let encoded = Array(sent.encoded)
                let split = Int.random(in: 0...encoded.count, using: &random)
                let received = parse([Array(encoded[..<split]), Array(encoded[split...])]).events
                func line(_ text: String) -> String {
                    String(
                        String.UnicodeScalarView(
                            text.unicodeScalars.map { "\r\n\0".unicodeScalars.contains($0) ? " " : $0 }
                        )
                    )
                }
                var scalars: [Unicode.Scalar] = []
                for scalar in sent.data.unicodeScalars {
                    if scalar == "\n", scalars.last == "\r" { scalars.removeLast() }
                    scalars.append(scalar)
                }
                let data = String(String.UnicodeScalarView(scalars.map { $0 == "\r" ? "\n" : $0 }))
                let expected = ServerSentEvent(
                    data,
                    event: sent.event.flatMap { $0.isEmpty ? nil : line($0) },
                    id: sent.id.flatMap { $0.isEmpty ? nil : line($0) },
                    retry: sent.retry.map { max($0, .zero) }
                )
                let isSame =
                    received.count == 1 && Array(received[0].data.utf8) == Array(data.utf8)
                    && received[0].event == expected.event && received[0].id == expected.id
                    && received[0].retry == expected.retry
                if !isSame { Issue.record("\(sent) → \(received)") }
            }
        }

        @Test("Every duration can be encoded")
        func durations() {
            for (duration, text) in [
                (Duration(secondsComponent: .min, attosecondsComponent: 0), "0"), (.seconds(-1), "0"),
                (.milliseconds(-1), "0"), (.milliseconds(1), "1"),
                (Duration(secondsComponent: .max, attosecondsComponent: 0), "1000000000000"),
            ] {
                let encoded = ServerSentEvent("x", retry: duration).encoded
                #expect(encoded == Bytes("retry: \(text)\ndata: x\n\n"))
            }
        }

        @Test("Random bytes give the same events in random splits, 3,000 times")
        func fuzz() {
            var random = SplitMix64(seed: 92)
            let pieces =
                ["data", "id", "event", "retry", ":", " ", "\n", "\r", "\r\n", "\n\n", "\u{FEFF}", "1", "x", "\0"]
                .map { Array($0.utf8) } + [[0xFF], [0xC3]]
            var limits = EventStreamLimits()
            (limits.lineBytes, limits.eventBytes) = (24, 24)
            for _ in 0..<3000 {
                let bytes = (0..<Int.random(in: 0..<60, using: &random)).flatMap { _ in
                    pieces.randomElement(using: &random)!
                }
                let whole = parse([bytes], limits)
                var (parts, rest): ([[UInt8]], ArraySlice<UInt8>) = ([], bytes[...])
                while !rest.isEmpty {
                    let count = Int.random(in: 1...rest.count, using: &random)
                    parts.append(Array(rest.prefix(count)))
                    rest = rest.dropFirst(count)
                }
                let split = parse(parts, limits)
                if split.events != whole.events || split.failure != whole.failure {
                    Issue.record("\(bytes) in \(parts.map(\.count))")
                }
            }
        }
    }
#endif
