// SPDX-License-Identifier: MIT
#if NATS
    import LoopTestSupport
    import ReactiveCore
    import ReactiveSignals
    import SchedulerConformance
    import Testing

    @testable import ReactiveNATS
    @testable import ReactiveSockets

    extension NATSTests {
        /// Invalid numbers and lengths from a server or from another client.
        @Suite struct UntrustedTests {
            static let extremes = [
                "-9223372036854775808", "-9223372036854775809", "9223372036854775807", "9223372036854775808",
                "18446744073709551615", "18446744073709551616", "99999999999999999999999999", "-1", "+1", " 1", "1 ",
                "", "-", "1\u{0}", "\u{0}1", "1e3", "\u{661}",
            ]

            @Test("A pull status is read correctly")
            func aStateIsReadAsItIsMeant() {
                for text in ["404", "408"] { #expect(PullStatus(["Status": text]) == .isOver) }
                #expect(PullStatus(["Status": "100"]) == .idle)
                for text in ["409", "503"] { #expect(PullStatus(["Status": text]) == .consumerHasGone) }
                #expect(PullStatus(["Status": "+100"]) == .unknown)
                #expect(PullStatus([:]) == .unknown)
            }

            @Test("A reply subject with an invalid number ends no request for messages", arguments: extremes)
            func forgedReply(_ text: String) {
                var requests = PullRequests()
                _ = requests.add(7)
                let prefix = requests.replies.dropLast()
                for reply in ["\(prefix)\(text)", "\(prefix)0", "\(prefix)2", "\(prefix)", requests.replies, text] {
                    requests.expire(reply)
                    #expect(requests.outstanding == 7 && !requests.isCurrent(reply))
                }
            }

            @Test("A reply subject with an invalid number is no delivery position", arguments: extremes, 0..<5)
            func aPlaceWithSuchANumberIsNone(_ text: String, _ index: Int) {
                var numbers = ["1", "2", "3", "4", "5"]
                numbers[index] = text
                let place = "stream.consumer.\(numbers.joined(separator: "."))"
                #expect(DeliveryPosition("$JS.ACK.\(place)") == nil)
                #expect(DeliveryPosition("$JS.ACK.domain.account.\(place).token") == nil)
            }

            @Test("A delivery position is read from both forms of the reply subject")
            func aPlaceIsReadInBothForms() throws {
                let short = try #require(DeliveryPosition("$JS.ACK.S.C.1.2.3.4.5"))
                #expect(short.stream == "S" && short.consumer == "C" && short.sequence == 2 && short.pending == 5)
                #expect(DeliveryPosition("$JS.ACK.domain.account.S.C.1.2.3.4.5") == short)
                #expect(DeliveryPosition("$JS.ACK.domain.account.S.C.1.2.3.4.5.token") == short)
                for text in ["", "$JS.ACK.", "$JS.ACK.S.C.1.2.3.4", "$JS.ACK..C.1.2.3.4.5", "$JS.ACK.S.C.1.2.3.4.5.6"] {
                    #expect(DeliveryPosition(text) == nil, "\(text)")
                }
            }

            @Test("JSON with an out-of-range number is read without a trap", arguments: extremes)
            func jsonWithSuchANumberIsRead(_ text: String) {
                let answer = "{\"error\":{\"err_code\":\(text),\"code\":\(text)},\"seq\":\(text)}"
                guard let json = JSONReader.value(of: answer.utf8) else { return }
                // JSON allows blanks around a number.
                #expect(json["seq"]?.integer(in: 0...10) == (text.contains(" ") ? 1 : nil))
                #expect(JetStream.failure(json, "asking") != nil)
                let state = "{\"config\":{\"name\":\"S\"},\"state\":{\"messages\":\(text),\"last_seq\":\(text)}}"
                #expect(
                    JSONReader.value(of: state.utf8).flatMap { NATSStreamInfo($0) }.map { $0.messages < .max } == true
                )
            }

            /// Any client that can see a request for messages can also reply to it with a status.
            @Test("A forged status does not terminate a reader", arguments: LoopKind.all)
            func aMadeUpStateEndsNothing(kind: LoopKind) async throws {
                try await withBench(kind, NATSServer("-js")) { bench in
                    let (client, other) = (try await bench.client(), try await bench.client())
                    let js = client.jetStream
                    _ = try await js.create(NATSStreamSettings("S", subjects: ["s"])).last()
                    let requests = try await other.record("$JS.API.CONSUMER.MSG.NEXT.>")
                    let (read, end) = (Recorder<String>(), Box<NATSError?>(nil))
                    js.read("S").subscribe(
                        onValue: { read.append(String($0.payload)) },
                        onTermination: { if case .failed(let error) = $0 { end.value = error } }
                    )
                    try await eventually("the request") { requests.messages.count > 0 }
                    for text in Self.extremes where !text.isEmpty && text.utf8.allSatisfy({ $0 >= 32 }) {
                        let reply = try #require(requests.messages.values.last?.reply)
                        let headers: NATSHeaders = ["Status": "408", "Nats-Pending-Messages": text]
                        other.publish(NATSMessage("", to: reply, headers: headers))
                    }
                    _ = try await other.flush().last()
                    js.publish("one", to: "s")
                    try await eventually("a message") { read.values == ["one"] }
                    #expect(end.value == nil)
                    #expect(client.isConnected)
                }
            }

            /// Uses a server without JetStream, where another client replies in its place.
            @Test("A reader fails if its consumer's name is not valid in a subject", arguments: LoopKind.all)
            func aConsumerForWhichThereIsNoSubjectEndsItsReader(kind: LoopKind) async throws {
                try await withBench(kind) { bench in
                    let (client, other) = (try await bench.client(), try await bench.client())
                    for (name, code) in [
                        ("a b", NATSError.Code.invalidSubject), (String(repeating: "x", count: 5000), .subjectTooLong),
                    ] {
                        let answering = SignalSubscription()
                        other.subscribe("$JS.API.CONSUMER.CREATE.S").subscribe(
                            in: answering,
                            onValue: { [weak other] in other?.answer($0, with: Bytes("{\"name\":\"\(name)\"}")) },
                            onTermination: { _ in }
                        )
                        _ = try await other.flush().last()
                        let end = Box<NATSError?>(nil)
                        client.jetStream.read("S").subscribe(
                            onValue: { _ in },
                            onTermination: { if case .failed(let error) = $0 { end.value = error } }
                        )
                        try await eventually("the reader's end") { end.value?.code == code }
                        answering.dispose()
                    }
                    #expect(client.isConnected)
                }
            }

            @Test("A message with malformed headers is delivered without them, and reported", arguments: LoopKind.all)
            func malformedHeaders(kind: LoopKind) async throws {
                try await withBench(kind) { bench in
                    let client = try await bench.client()
                    let heard = try await client.record("x")
                    let reported = Recorder<NATSError.Code>()
                    client.events.subscribe(onValue: { event in
                        if case .reported(let error) = event { reported.append(error.code) }
                    })
                    let raw = try RawPeer(to: .loopback(port: UInt16(bench.server.port)))
                    defer { raw.close() }
                    let headers = "NATS/1.0\r\nA\r\n\r\n"
                    let sizes = "\(headers.utf8.count) \(headers.utf8.count + 1)"
                    let text = "CONNECT {\"verbose\":false,\"headers\":true}\r\nHPUB x \(sizes)\r\n\(headers)1\r\n"
                    #expect(raw.sendAll(Array(text.utf8)))
                    try await eventually("the message") { heard.texts == ["1"] }
                    try bench.loop.sync()
                    #expect(heard.messages.values.first?.headers.isEmpty == true)
                    #expect(reported.values == [.malformed])
                }
            }

            @Test("A queue group with whitespace, or without a name, is refused", arguments: LoopKind.all)
            func queueGroups(kind: LoopKind) async throws {
                try await withBench(kind) { bench in
                    let client = try await bench.client()
                    for group in ["", "my workers", "g 1\r\nPUB x 0\r\n"] {
                        let result = client.subscribe("x", queueGroup: group)
                        #expect(try await failure(of: result)?.code == .invalidArgument)
                    }
                    #expect(client.isConnected)
                }
            }

            @Test("A message of two gibibytes fails with messageTooLarge", arguments: LoopKind.all)
            func twoGibibytesAreRefused(kind: LoopKind) async throws {
                try await withBench(kind) { bench in
                    let client = try await bench.client()
                    for size in [1 << 31, Int(Int32.max), Int(Int32.max) - 10] {
                        // The memory is reserved and never touched, so the system does not allocate it.
                        let payload = Bytes(capacity: size) { _ in size }
                        for headers: NATSHeaders in [[:], ["A": "b"]] {
                            let result = client.publish(NATSMessage(payload, to: "x", headers: headers))
                            #expect(try await failure(of: result)?.code == .messageTooLarge)
                            let request = client.request(NATSMessage(payload, to: "x", headers: headers))
                            #expect(try await failure(of: request)?.code == .messageTooLarge)
                        }
                    }
                    #expect(client.isConnected)
                }
            }
        }
    }
#endif
