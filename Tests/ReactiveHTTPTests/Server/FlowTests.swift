// SPDX-License-Identifier: MIT
#if HTTP
    import HTTPTypes
    import LoopTestSupport
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets
    import SchedulerConformance
    import Testing

    @testable import ReactiveHTTP

    /// Back-pressure in both directions, on each loop.
    @Suite struct FlowTests {
        /// A generous bound for the buffers of the kernel and of a connection.
        private static let bound = 32_000_000

        @Test("A client that stops reading a response pauses its source", arguments: LoopKind.all)
        func slowReader(_ kind: LoopKind) throws {
            let block = Bytes([UInt8](repeating: 120, count: 50_000))
            let (sent, isPaused) = (Box(0), Box(false))
            let fixture = try HTTPFixture(kind) { _ in
                .ok(
                    HTTPBody(
                        Signal<Bytes, Never> { emitter, subscription in
                            // Sends as fast as it may, on the loop of the connection.
                            @Sendable func go() {
                                while !subscription.isPaused, !subscription.isDisposed, sent.value < 100_000_000 {
                                    sent.update { $0 += block.count }
                                    emitter.send(block)
                                }
                                if sent.value >= 100_000_000 { emitter.complete() }
                            }
                            subscription.onFlowChange { paused in
                                isPaused.value = paused
                                if !paused { go() }
                            }
                            go()
                        }
                    )
                )
            }
            let client = try fixture.connect()
            try fixture.send(ExchangeTests.get, from: client)
            try fixture.loop.turns { isPaused.value }
            try fixture.loop.turns(50)
            #expect(isPaused.value && sent.value < Self.bound, "\(sent.value)")
            var received = 0
            try fixture.loop.turns {
                if case .bytes(let bytes) = client.receive(200_000) { received += bytes.count }
                return received > 100_000_000 && sent.value >= 100_000_000
            }
        }

        @Test("A service that does not read a body pauses the client", arguments: LoopKind.all)
        func slowService(_ kind: LoopKind) throws {
            let request = Box<HTTPRequestMessage?>(nil)
            let response = Subject<HTTPResponseMessage, Never>()
            let fixture = try HTTPFixture(kind) { message in
                request.value = message
                return response.signal
            }
            let client = try fixture.connect()
            let total = 100_000_000
            try fixture.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(total)\r\n\r\n", from: client)
            let block = [UInt8](repeating: 45, count: 100_000)
            var (sent, refusals) = (0, 0)
            try fixture.loop.turns {
                let count = client.send(block.prefix(total - sent))
                sent += count
                refusals = count == 0 ? refusals + 1 : 0
                return refusals == 50
            }
            #expect(sent < Self.bound, "\(sent)")
            // A subscriber that pauses after each chunk gets everything.
            let loop = fixture.loop
            let (received, pauses) = (Box(0), Box(0))
            let subscription = SignalSubscription()
            try #require(request.value).body.signal.subscribe(
                in: subscription,
                onValue: { bytes in
                    received.update { $0 += bytes.count }
                    pauses.update { $0 += 1 }
                    let pause = subscription.pause()
                    loop.execute { pause.dispose() }
                },
                onTermination: { _ in response.send(.ok("done")) }
            )
            var reader = RawResponses()
            try fixture.loop.turns {
                if sent < total { sent += client.send(block.prefix(total - sent)) }
                if case .bytes(let bytes) = client.receive() { reader.feed(bytes) }
                return !reader.complete.isEmpty
            }
            #expect(received.value == total && reader.complete[0].text == "done" && pauses.value > 100)
        }

        @Test("100 000 pipelined requests of a client that does not read use constant memory", arguments: LoopKind.all)
        func pipelining(_ kind: LoopKind) throws {
            let calls = Box(0)
            let body = Bytes([UInt8](repeating: 120, count: 1000))
            let fixture = try HTTPFixture(kind) { _ in
                calls.update { $0 += 1 }
                return .ok(body)
            }
            let client = try fixture.connect()
            let (total, batch) = (100_000, 100)
            let requests = Array(String(repeating: ExchangeTests.get, count: batch).utf8)
            var (sent, refusals) = (0, 0)
            let all = requests.count * (total / batch)
            func send() -> Int {
                let offset = sent % requests.count
                let count = client.send(requests[offset...].prefix(all - sent))
                sent += count
                return count
            }
            try fixture.loop.turns {
                refusals = send() == 0 ? refusals + 1 : 0
                return refusals == 50 || sent == all
            }
            // What the kernel's send buffer and the watermark hold.
            #expect(calls.value < Self.bound / body.count, "\(calls.value)")
            var received = 0
            var size = 0
            try fixture.loop.turns {
                if sent < all { _ = send() }
                if case .bytes(let bytes) = client.receive(200_000) {
                    received += bytes.count
                    if size == 0, let end = String(decoding: bytes, as: UTF8.self).utf8.firstEndOfHead {
                        size = end + body.count
                    }
                }
                return size > 0 && received >= size * total
            }
            #expect(calls.value == total && received == size * total)
        }

        @Test("Requests that arrive during a response wait", arguments: LoopKind.all)
        func waiting(_ kind: LoopKind) throws {
            let calls = Box(0)
            let response = Subject<HTTPResponseMessage, Never>()
            let fixture = try HTTPFixture(kind) { _ in
                calls.update { $0 += 1 }
                return response.signal
            }
            let client = try fixture.connect()
            let requests = Array(String(repeating: ExchangeTests.get, count: 1000).utf8)
            var (sent, refusals) = (0, 0)
            try fixture.loop.turns {
                let count = client.send(requests)
                sent += count
                refusals = count == 0 ? refusals + 1 : 0
                return refusals == 50
            }
            #expect(calls.value == 1 && sent < Self.bound)
        }
    }

    extension String.UTF8View {
        /// The number of bytes of a head, if the text begins with a complete one.
        var firstEndOfHead: Int? {
            let bytes = Array(self)
            for index in bytes.indices.dropLast(3) where Array(bytes[index..<index + 4]) == [13, 10, 13, 10] {
                return index + 4
            }
            return nil
        }
    }
#endif
