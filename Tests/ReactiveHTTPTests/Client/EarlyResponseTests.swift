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

    /// Stored bodies that the server has not received completely, on each loop.
    @Suite struct EarlyResponseTests {
        private static let data = Bytes([UInt8](repeating: 1, count: 32_000_000))

        @Test("A refused stored body is not sent further", arguments: LoopKind.all, ["", "Connection: close\r\n"])
        func refused(_ kind: LoopKind, _ field: String) throws {
            let fixture = try ClientFixture(kind)
            let answer = fixture.send(.post(fixture.raw.url, body: HTTPBody(Self.data)))
            let peer = try fixture.accept()
            try fixture.receiveSome(at: peer)
            peer.send(Array("HTTP/1.1 413 No\r\n\(field)Content-Length: 2\r\n\r\nno".utf8))
            try fixture.finish(answer)
            #expect(answer.status == 413 && answer.text == "no")
            // The rest is dropped with a reset, however slowly the server reads.
            let isReset = if case .failed = try fixture.expectEnd(at: peer) { true } else { false }
            #expect(isReset)
            let second = fixture.get("/second")
            let next = try fixture.acceptRequest()
            try fixture.answer(ClientFixture.ok, from: next)
            try fixture.finish(second)
            #expect(second.text == "hello")
        }

        @Test("A response without a body does the same, and is delivered", arguments: LoopKind.all)
        func empty(_ kind: LoopKind) throws {
            let fixture = try ClientFixture(kind)
            let answer = fixture.send(.post(fixture.raw.url, body: HTTPBody(Self.data)))
            let peer = try fixture.accept()
            try fixture.receiveSome(at: peer)
            peer.send(Array("HTTP/1.1 413 No\r\nContent-Length: 0\r\n\r\n".utf8))
            try fixture.finish(answer)
            #expect(answer.status == 413)
            let isReset = if case .failed = try fixture.expectEnd(at: peer) { true } else { false }
            #expect(isReset)
        }

        @Test(
            "A response arrives although the server has reset the connection",
            arguments: LoopKind.all,
            [true, false]
        )
        func reset(_ kind: LoopKind, _ isStored: Bool) throws {
            let fixture = try ClientFixture(kind)
            let chunks = Signal<Int, Never>(values: 0..<1000).map { _ in Bytes(repeatElement(1, count: 32_000)) }
            let body = isStored ? HTTPBody(Self.data) : HTTPBody(chunks)
            let answer = fixture.send(.post(fixture.raw.url, body: body))
            let peer = try fixture.accept()
            try fixture.receiveSome(at: peer)
            try fixture.loop.turns(100)
            let text = "HTTP/1.1 413 No\r\nContent-Length: 50000\r\n\r\n" + String(repeating: "n", count: 50_000)
            try #require(peer.send(Array(text.utf8)) == text.utf8.count)
            try waitUntil("arrival of the response") { peer.unsentCount == 0 }
            // Its unread bytes make the kernel reset the connection.
            peer.close()
            try fixture.finish(answer)
            #expect(answer.status == 413 && answer.body.count == 50_000 && answer.bodyCompleted)
            try fixture.expectNoConnections()
        }

        @Test("The limit of the head begins after a stored body", arguments: LoopKind.all)
        func headLimit(_ kind: LoopKind) throws {
            let clock = ManualClock()
            let fixture = try ClientFixture(kind, clock: clock) { $0.timeouts.head = .seconds(10) }
            let answer = fixture.send(.post(fixture.raw.url, body: HTTPBody(Self.data)))
            let peer = try fixture.accept()
            var count = try fixture.receiveSome(at: peer)
            try fixture.advance(clock, by: .seconds(15)) { _ in count += try fixture.receiveSome(at: peer) }
            #expect(!answer.hasHead && count < Self.data.count)
            while count < Self.data.count, !answer.hasHead { count += try fixture.receiveSome(at: peer) }
            // The client still has to notice that the kernel has accepted the last byte.
            try fixture.loop.turns(20)
            try fixture.advance(clock, by: .milliseconds(9_750))
            #expect(!answer.hasHead)
            try fixture.advance(clock, by: .milliseconds(500))
            try fixture.finish(answer)
            #expect(answer.error?.code == .timedOut)
        }
    }

    extension ClientFixture {
        /// Runs turns until the peer has received something. Returns the number of bytes.
        @discardableResult
        fileprivate func receiveSome(at peer: RawPeer) throws -> Int {
            var count = 0
            try loop.turns {
                if case .bytes(let bytes) = peer.receive() { count = bytes.count }
                return count > 0
            }
            return count
        }
    }
#endif
