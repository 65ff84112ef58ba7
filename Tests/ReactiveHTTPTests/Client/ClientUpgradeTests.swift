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

    /// The end of a connection that another protocol uses, at a client, on each loop.
    @Suite struct ClientUpgradeTests {
        enum Ending: CaseIterable {
            case close, finishSending, source
        }

        @Test("The server receives everything that was sent before the end", arguments: LoopKind.all, Ending.allCases)
        func endings(_ kind: LoopKind, _ ending: Ending) throws {
            let fixture = try ClientFixture(kind)
            let answer = fixture.get(fields: [.upgrade: "x"], reads: false)
            let peer = try fixture.acceptRequest()
            try fixture.answer("HTTP/1.1 101 S\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\nabc", from: peer)
            try fixture.loop.turns { answer.hasHead }
            let upgrade = try #require(answer.response?.upgrade)
            let end = Box<Termination<SocketError>?>(nil)
            let text = Box("")
            upgrade.received.subscribe(
                onValue: { chunk in text.update { $0 += String(decoding: chunk, as: UTF8.self) } },
                onTermination: { end.value = $0 }
            )
            try fixture.loop.turns { text.value == "abc" }
            let data = Bytes([UInt8](repeating: 1, count: 16_000_000))
            let connection = upgrade.connection
            fixture.loop.execute {
                switch ending {
                case .close:
                    connection.send(data)
                    connection.close()
                case .finishSending:
                    connection.send(data)
                    connection.finishSending()
                case .source:
                    let source = Signal<Bytes, Never>(values: [data])
                    connection.send(from: source).subscribe(onTermination: { _ in connection.finishSending() })
                }
            }
            var (count, isOver) = (0, false)
            try fixture.loop.turns {
                switch peer.receive() {
                case .bytes(let bytes): count += bytes.count
                case .nothing: break
                case .end: isOver = true
                case .failed(let code):
                    Issue.record("errno \(code) after \(count) bytes")
                    isOver = true
                }
                return isOver
            }
            #expect(count == data.count)
            if ending != .close {
                // The other direction is still open.
                try fixture.answer("def", from: peer)
                try fixture.loop.turns { text.value == "abcdef" }
            }
            peer.close()
            try fixture.loop.turns { end.value != nil }
            let completed = if case .completed = end.value { true } else { false }
            #expect(completed == (ending != .close))
            fixture.loop.execute { connection.close() }
            try fixture.expectNoConnections()
        }
    }
#endif
