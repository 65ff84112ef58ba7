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

    /// Servers that violate the protocol. Each failure is typed, memory is bounded, and the connection is not used again.
    @Suite struct HostileServerTests {
        private static let invalidHeads: [(text: String, code: HTTPError.Code)] = [
            ("garbage\r\n\r\n", .malformed), ("HTTP/2.0 200 OK\r\n\r\n", .versionNotSupported),
            ("HTTP/1.1 99 X\r\n\r\n", .malformed), ("HTTP/1.1 200 OK\n\n", .malformed),
            ("HTTP/1.1 200 OK\r\nA : b\r\n\r\n", .malformed), ("HTTP/1.1 200 OK\r\n folded\r\n\r\n", .malformed),
            ("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\nx", .malformed),
            ("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", .malformed),
            ("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", .malformed),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", .notImplemented),
            ("HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", .malformed),
            ("HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n", .malformed),
            ("HTTP/1.1 200 " + String(repeating: "x", count: 20_000), .malformed),
            ("HTTP/1.1 200 OK\r\n" + String(repeating: "A: b\r\n", count: 101) + "\r\n", .fieldsTooLarge),
            ("HTTP/1.1 200 OK\r\nA: " + String(repeating: "x", count: 40_000), .fieldsTooLarge),
            (String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: 33), .malformed),
        ]

        @Test("Invalid heads", arguments: LoopKind.all, 0..<invalidHeads.count)
        func heads(_ kind: LoopKind, _ number: Int) throws {
            let fixture = try ClientFixture(kind)
            let answer = fixture.get()
            let peer = try fixture.acceptRequest()
            let (text, code) = Self.invalidHeads[number]
            peer.send(Array(text.utf8))
            try fixture.finish(answer)
            #expect(answer.error?.code == code && answer.error?.status == .badGateway, "\(answer.error as Any)")
            #expect(answer.terminationCount == 1)
            peer.close()
            try fixture.expectNoConnections()
        }

        private static let invalidBodies: [(text: String, code: HTTPError.Code)] = [
            ("Content-Length: 10\r\n\r\nshort", .incomplete),
            ("Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", .incomplete),
            ("Transfer-Encoding: chunked\r\n\r\nxyz\r\n", .malformed),
            ("Transfer-Encoding: chunked\r\n\r\n5\r\nhelloX", .malformed),
            ("Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n", .malformed),
            ("Transfer-Encoding: chunked\r\n\r\n1;" + String(repeating: "x", count: 20_000), .contentTooLarge),
            ("Transfer-Encoding: chunked\r\n\r\n0\r\nA: " + String(repeating: "x", count: 40_000), .fieldsTooLarge),
        ]

        @Test("Invalid bodies", arguments: LoopKind.all, 0..<invalidBodies.count)
        func bodies(_ kind: LoopKind, _ number: Int) throws {
            let fixture = try ClientFixture(kind)
            let answer = fixture.get()
            let peer = try fixture.acceptRequest()
            let (text, code) = Self.invalidBodies[number]
            peer.send(Array("HTTP/1.1 200 OK\r\n\(text)".utf8))
            peer.finish()
            try fixture.finish(answer)
            #expect(answer.status == 200 && answer.bodyError?.code == code, "\(answer.bodyError as Any)")
            peer.close()
            try fixture.expectNoConnections()
        }

        @Test("A body beyond the limit", arguments: LoopKind.all, ["Content-Length: 1001", "X: y"])
        func bodyLimit(_ kind: LoopKind, _ field: String) throws {
            let fixture = try ClientFixture(kind) { $0.limits.bodyBytes = 1000 }
            let answer = fixture.get()
            let peer = try fixture.acceptRequest()
            peer.send(Array("HTTP/1.1 200 OK\r\n\(field)\r\n\r\n".utf8) + [UInt8](repeating: 120, count: 1001))
            try fixture.finish(answer)
            #expect((answer.error ?? answer.bodyError)?.code == .contentTooLarge)
        }

        @Test("Bytes before a request close the connection", arguments: LoopKind.all)
        func unsolicited(_ kind: LoopKind) throws {
            let fixture = try ClientFixture(kind)
            let first = fixture.get("/first")
            let peer = try fixture.acceptRequest()
            try fixture.answer(ClientFixture.ok, from: peer)
            try fixture.finish(first)
            try fixture.answer("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil", from: peer)
            // The loop has not read these bytes yet.
            let second = fixture.get("/second")
            let fresh = try fixture.acceptRequest()
            try fixture.answer(ClientFixture.ok, from: fresh)
            try fixture.finish(second)
            #expect(second.text == "hello")
            let end = try fixture.expectEnd(at: peer)
            #expect(end != .nothing)
            peer.close()
            // The loop reads the bytes while the connection is idle.
            try fixture.answer("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil", from: fresh)
            guard case .failed = try fixture.expectEnd(at: fresh) else {
                Issue.record("the connection is not reset")
                return
            }
            fresh.close()
            try fixture.expectNoConnections()
        }

        @Test("Bytes after a response close the connection", arguments: LoopKind.all, [true, false])
        func trailing(_ kind: LoopKind, _ hasBody: Bool) throws {
            let fixture = try ClientFixture(kind) { $0.connectionsPerOrigin = 1 }
            let (first, second) = (fixture.get("/first"), fixture.get("/second"))
            let peer = try fixture.acceptRequest()
            let text = hasBody ? ClientFixture.ok : ClientFixture.empty
            peer.send(Array((text + "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil").utf8))
            try fixture.finish(first)
            #expect(first.status == 200 && first.bodyCompleted)
            let fresh = try fixture.accept()
            let head = try fixture.receive(at: fresh)
            #expect(head.hasPrefix("GET /second "))
            try fixture.answer(ClientFixture.ok, from: fresh)
            try fixture.finish(second)
            #expect(second.text == "hello")
        }

        @Test("A server that closes without a response", arguments: LoopKind.all, [true, false])
        func noResponse(_ kind: LoopKind, _ resets: Bool) throws {
            let fixture = try ClientFixture(kind)
            let answer = fixture.get()
            let peer = try fixture.acceptRequest()
            if resets { peer.reset() } else { peer.close() }
            try fixture.finish(answer)
            #expect(answer.error?.code == (resets ? .connection : .incomplete))
            try fixture.loop.turns(10)
            // A first connection is not stale, so nothing is repeated.
            #expect(fixture.raw.accept() == nil)
            try fixture.expectNoConnections()
        }

        @Test("An endless body that nothing reads uses constant memory", arguments: LoopKind.all)
        func endless(_ kind: LoopKind) throws {
            let fixture = try ClientFixture(kind)
            let answer = fixture.get(reads: false)
            let peer = try fixture.acceptRequest()
            peer.send(Array("HTTP/1.1 200 OK\r\n\r\n".utf8))
            let block = [UInt8](repeating: 120, count: 100_000)
            var (sent, refusals) = (0, 0)
            try fixture.loop.turns {
                let count = peer.send(block)
                sent += count
                refusals = count == 0 ? refusals + 1 : 0
                return refusals == 50
            }
            #expect(sent < 32_000_000)
            answer.drop()
            guard case .failed = try fixture.expectEnd(at: peer) else {
                Issue.record("the connection is not reset")
                return
            }
        }
    }
#endif
