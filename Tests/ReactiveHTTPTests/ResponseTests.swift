// SPDX-License-Identifier: MIT
#if HTTP
    import HTTPTypes
    import ReactiveSockets
    import Testing

    @testable import ReactiveHTTP

    @Suite struct ResponseTests {
        /// A response, the method of its request, and what its framing must be.
        struct Case: Sendable {
            let text: String
            var method = HTTPRequest.Method.get
            let body: MessageFraming.BodyLength
            var content = "hello"
        }

        @Test(
            "The length of a response follows from the request, the status and the fields",
            arguments: [
                Case(text: "200 OK\r\nContent-Length: 5\r\n\r\nhello", body: .fixed(5)),
                Case(text: "200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", body: .chunked),
                Case(text: "200 OK\r\n\r\nhello", body: .untilClose),
                Case(text: "200 OK\r\nContent-Length: 5\r\n\r\n", method: .head, body: .none, content: ""),
                Case(text: "200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", method: .head, body: .none, content: ""),
                Case(text: "204 No Content\r\n\r\n", body: .none, content: ""),
                Case(text: "304 Not Modified\r\nContent-Length: 5\r\n\r\n", body: .none, content: ""),
                Case(text: "404 Not Found\r\nContent-Length: 5\r\n\r\nhello", method: .connect, body: .fixed(5)),
            ]
        )
        func lengths(response: Case) throws {
            let stream = Array("HTTP/1.1 \(response.text)".utf8)
            for cuts in [[], Array(1..<stream.count)] {
                let parsed = ParsedMessages(
                    stream,
                    as: .responses,
                    method: response.method,
                    cutAt: cuts,
                    ends: response.body == .untilClose
                )
                let message = try #require(parsed.messages.first)
                #expect(parsed.errorText == nil)
                #expect(message.framing.body == response.body)
                #expect(String(decoding: message.body, as: UTF8.self) == response.content)
                #expect(message.isComplete)
                #expect(message.framing.isPersistent == (response.body != .untilClose))
            }
        }

        @Test(
            "After a 204 that announces content, the connection is not used again (RFC 9110 section 8.6)",
            arguments: ["Content-Length: 5", "Transfer-Encoding: chunked", "Content-Length: 0"]
        )
        func announced(_ field: String) throws {
            let parsed = ParsedMessages("HTTP/1.1 204 No Content\r\n\(field)\r\n\r\n", as: .responses)
            let message = try #require(parsed.messages.first)
            #expect(message.isComplete && message.framing.body == .none)
            #expect(message.framing.isPersistent == field.hasSuffix(" 0"))
        }

        @Test("Informational responses precede the final one")
        func informational() {
            let text =
                "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n"
                + "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"
            let parsed = ParsedMessages(text, as: .responses)
            #expect(parsed.messages.map { $0.response?.status.code } == [100, 103, 200])
            #expect(parsed.messages.last?.body == Array("hi".utf8))
            #expect(parsed.messages.map(\.isComplete) == [false, false, true])
        }

        @Test("The bytes after 101 and after a successful CONNECT belong to another protocol")
        func tunnels() {
            let switched = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\nHTTP/1.1"
            let upgraded = ParsedMessages(switched, as: .responses)
            #expect(upgraded.messages.first?.framing.body == .tunnel)
            #expect(upgraded.rest == Array("HTTP/1.1".utf8))
            // RFC 9110 section 9.3.6: a client ignores the length fields of this response.
            let connected = ParsedMessages(
                Array("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabcdef".utf8),
                as: .responses,
                method: .connect
            )
            #expect(connected.messages.first?.framing.body == .tunnel)
            #expect(connected.rest == Array("abcdef".utf8))
        }

        @Test(
            "A malformed response is rejected",
            arguments: [
                "HTTP/1.1\r\n\r\n", "HTTP/1.1 \r\n\r\n", "HTTP/1.1  200 OK\r\n\r\n", "HTTP/1.1 20 OK\r\n\r\n",
                "HTTP/1.1 2000 OK\r\n\r\n", "HTTP/1.1 099 OK\r\n\r\n", "HTTP/1.1 +20 OK\r\n\r\n",
                "HTTP/1.1 200\tOK\r\n\r\n",
                "HTTP/1.1 200 O\u{0}K\r\n\r\n", "HTTP/1.1 200 O\rK\r\n\r\n", "HTTP/1.1 200 OK\n\r\n",
                "http/1.1 200 OK\r\n\r\n",
                "HTTP/1.x 200 OK\r\n\r\n", "ICY 200 OK\r\n\r\n", "\r\n\r\nHTTP/1.1 200 OK\r\n\r\n", "{\"a\":1}\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n",
                "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "HTTP/1.1 200 OK\r\nA : b\r\n\r\n",
                "HTTP/1.1 200 OK\r\n A: b\r\n\r\n",
            ]
        )
        func rejected(text: String) {
            let stream = Array(text.utf8)
            let whole = ParsedMessages(stream, as: .responses)
            #expect(whole.error?.code == .malformed)
            #expect(whole.messages.isEmpty)
            for cut in 1..<stream.count { #expect(ParsedMessages(stream, as: .responses, cutAt: [cut]) == whole) }
        }

        @Test("A reason phrase may be absent, with or without its space", arguments: ["", " "])
        func reason(space: String) {
            let parsed = ParsedMessages("HTTP/1.1 299\(space)\r\nContent-Length: 0\r\n\r\n", as: .responses)
            #expect(parsed.messages.first?.response?.status.code == 299)
            #expect(parsed.messages.first?.isComplete == true)
        }

        @Test(
            "A stream that ends inside a message is incomplete",
            arguments: [
                "H", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell",
                "HTTP/1.1 100 C\r\n\r\nH",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello", "HTTP/1.1 200 OK\r\nA: b\r\n\r",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n",
            ]
        )
        func incomplete(text: String) {
            #expect(ParsedMessages(Array(text.utf8), as: .responses, ends: true).error?.code == .incomplete)
        }

        @Test(
            "A stream that ends between messages is complete",
            arguments: ["", "HTTP/1.1 204 N\r\n\r\n", "\r", "\r\n"]
        )
        func complete(text: String) {
            #expect(ParsedMessages(Array(text.utf8), as: .responses, ends: true).error == nil)
        }
    }
#endif
