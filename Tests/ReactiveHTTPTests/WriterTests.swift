// SPDX-License-Identifier: MIT
#if HTTP
    import HTTPTypes
    import ReactiveSockets
    import Testing

    @testable import ReactiveHTTP

    @Suite struct WriterTests {
        private let dated: HTTPFields = [.date: "D"]

        private func text(
            _ status: HTTPResponse.Status,
            _ body: MessageFraming.BodyLength,
            fields: HTTPFields? = nil,
            minorVersion: Int = 1,
            isPersistent: Bool = true,
            isForHead: Bool = false
        ) -> String {
            let head = HTTPResponse(status: status, headerFields: fields ?? dated)
            let writer = HeadWriter(
                isForHead: isForHead,
                minorVersion: minorVersion,
                isPersistent: isPersistent,
                body: body
            )
            return String(writer.write(head, "hello")).replacing("\r\n", with: "|")
        }

        @Test("A response has the fields of its framing")
        func framing() {
            #expect(text(.ok, .fixed(5)) == "HTTP/1.1 200 OK|Date: D|Content-Length: 5||hello")
            #expect(text(.ok, .chunked) == "HTTP/1.1 200 OK|Date: D|Transfer-Encoding: chunked||hello")
            #expect(text(.ok, .untilClose, isPersistent: false) == "HTTP/1.1 200 OK|Date: D|Connection: close||hello")
            #expect(
                text(.ok, .fixed(5), minorVersion: 0)
                    == "HTTP/1.1 200 OK|Date: D|Content-Length: 5|Connection: keep-alive||hello"
            )
            #expect(text(.ok, .fixed(5), isForHead: true) == "HTTP/1.1 200 OK|Date: D|Content-Length: 5||")
            #expect(text(.noContent, .fixed(0)) == "HTTP/1.1 204 No Content|Date: D||")
            #expect(text(.notModified, .fixed(0)) == "HTTP/1.1 304 Not Modified|Date: D||")
            #expect(text(.continue, .none, fields: [:]) == "HTTP/1.1 100 Continue||")
            #expect(
                text(.switchingProtocols, .tunnel, fields: [.upgrade: "x"])
                    == "HTTP/1.1 101 Switching Protocols|Upgrade: x|Connection: upgrade||"
            )
        }

        @Test("A service's own fields of the framing and the connection are not sent")
        func ownFields() {
            let fields: HTTPFields = [
                .date: "D", .contentLength: "99", .transferEncoding: "chunked", .connection: "keep-alive", .accept: "a",
            ]
            #expect(
                text(.ok, .fixed(5), fields: fields) == "HTTP/1.1 200 OK|Date: D|Accept: a|Content-Length: 5||hello"
            )
            #expect(
                text(.ok, .fixed(0), fields: fields, isForHead: true)
                    == "HTTP/1.1 200 OK|Date: D|Content-Length: 99|Accept: a||"
            )
            #expect(
                text(.notModified, .fixed(0), fields: fields)
                    == "HTTP/1.1 304 Not Modified|Date: D|Content-Length: 99|Accept: a||"
            )
            for isForHead in [false, true] {
                let noContent = text(.noContent, .fixed(0), fields: fields, isForHead: isForHead)
                #expect(noContent == "HTTP/1.1 204 No Content|Date: D|Accept: a||")
                let interim = text(.continue, .none, fields: fields, isForHead: isForHead)
                #expect(interim == "HTTP/1.1 100 Continue|Date: D|Accept: a||")
            }
        }

        @Test("A written response is parsed as it was", arguments: ["", "a", " a\tb ", "é", "\"x\""])
        func roundTrip(value: String) throws {
            let name = try #require(HTTPField.Name("X-Value"))
            let head = HTTPResponse(status: .init(code: 299, reasonPhrase: "Très bien"), headerFields: [name: value])
            let writer = HeadWriter(isForHead: false, minorVersion: 1, isPersistent: true, body: .fixed(3))
            let parsed = ParsedMessages(Array(writer.write(head, "abc")), as: .responses)
            let message = try #require(parsed.messages.first)
            #expect(message.response?.status == head.status)
            #expect(message.response?.status.reasonPhrase == "Très bien")
            #expect(message.response?.headerFields[name] == head.headerFields[name])
            #expect(message.body == Array("abc".utf8))
        }

        /// HTTPTypes replaces these characters by spaces, and refuses names with them. So no response can be split.
        @Test(
            "CR, LF and NUL never leave in a field, a reason phrase or a trailer",
            arguments: ["\r", "\n", "\r\n", "\0"]
        )
        func splitting(control: String) throws {
            let evil = "a\(control)Set-Cookie: b"
            #expect(HTTPField.Name(evil) == nil)
            #expect(HTTPRequest.Method(evil) == nil)
            let name = try #require(HTTPField.Name("X-Value"))
            var fields: HTTPFields = [name: evil]
            fields.append(HTTPField(name: name, value: Array(evil.utf8)))
            fields.append(HTTPField(name: name, lenientValue: Array(evil.utf8)))
            fields[.accept] = evil
            fields[values: .allow] = [evil, control]
            var head = HTTPResponse(status: .init(code: 200, reasonPhrase: evil), headerFields: fields)
            head.status = .init(code: 201, reasonPhrase: evil)
            let writer = HeadWriter(isForHead: false, minorVersion: 1, isPersistent: true, body: .none)
            for bytes in [Array(writer.write(head)), Array(ChunkWriter.end(fields))] {
                let lines = String(decoding: bytes, as: UTF8.self).replacing("\r\n", with: "|")
                #expect(!lines.contains { $0.isNewline || $0 == "\0" })
                #expect(!lines.contains("|Set-Cookie"))
            }
            let parsed = ParsedMessages(Array(writer.write(head)), as: .responses)
            #expect(parsed.messages.first?.response?.headerFields.contains(.setCookie) == false)
        }

        @Test(
            "A request cannot be split either",
            arguments: ["\r", "\n", "\r\n", "\0", " ", "\t", " HTTP/1.1\r\nA: b"]
        )
        func splittingRequests(control: String) {
            let evil = "/a\(control)b"
            let writer = RequestWriter(body: .none)
            let path = HTTPRequest(method: .get, scheme: "http", authority: "h", path: evil)
            #expect(throws: HTTPError.self) { try writer.write(path) }
            let authority = HTTPRequest(method: .get, scheme: "http", authority: "h\(control)i", path: "/")
            #expect(throws: HTTPError.self) { try writer.write(authority) }
            let connect = HTTPRequest(method: .connect, scheme: nil, authority: "h\(control):1", path: nil)
            #expect(throws: HTTPError.self) { try writer.write(connect) }
        }

        @Test("A request is written with Host first")
        func requests() throws {
            var head = HTTPRequest(
                method: .post,
                scheme: "http",
                authority: "h:1",
                path: "/p?q",
                headerFields: [.accept: "a"]
            )
            head.headerFields[.contentLength] = "7"
            head.headerFields[.connection] = "close"
            let text = String(try RequestWriter(body: .fixed(2)).write(head, "hi")).replacing("\r\n", with: "|")
            #expect(text == "POST /p?q HTTP/1.1|Host: h:1|Accept: a|Content-Length: 2||hi")
            let parsed = ParsedMessages(Array(try RequestWriter(isPersistent: false, body: .none).write(head)))
            #expect(parsed.messages.first?.request?.authority == "h:1")
            #expect(parsed.messages.first?.framing.isPersistent == false)
        }

        @Test("A chunk has its size in hexadecimal", arguments: [1, 9, 10, 15, 16, 255, 256, 4096, 70_000])
        func chunks(count: Int) {
            let bytes = Bytes([UInt8](repeating: 7, count: count))
            let chunk = ChunkWriter.chunk(bytes)
            #expect(chunk.starts(with: Array("\(String(count, radix: 16))\r\n".utf8)))
            let stream = Array(Rejection.chunked.utf8) + Array(chunk) + Array(ChunkWriter.end([.accept: "t"]))
            let parsed = ParsedMessages(stream)
            #expect(parsed.messages.first?.body == Array(bytes))
            #expect(parsed.messages.first?.trailers == [.accept: "t"])
            #expect(ChunkWriter.chunk(Bytes()).isEmpty)
            #expect(ChunkWriter.end(nil) == "0\r\n\r\n")
            #expect(ChunkWriter.end([.contentLength: "1", .transferEncoding: "x"]) == "0\r\n\r\n")
        }

        @Test(
            "A date is that of RFC 9110",
            arguments: [
                (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
                (951_782_399, "Mon, 28 Feb 2000 23:59:59 GMT"), (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
                (1_709_251_199, "Thu, 29 Feb 2024 23:59:59 GMT"), (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"),
                (253_402_300_799, "Fri, 31 Dec 9999 23:59:59 GMT"),
            ]
        )
        func dates(seconds: Int, text: String) {
            let bytes = HeadBuffer.bytes(capacity: 64) { HTTPDate.append(secondsSince1970: seconds, to: &$0) }
            #expect(String(bytes) == "Date: \(text)\r\n")
        }

        @Test("The date of a response is the current one")
        func currentDate() throws {
            let head = HTTPResponse(status: .ok)
            let writer = HeadWriter(isForHead: false, minorVersion: 1, isPersistent: true, body: .none)
            let date = try #require(ParsedMessages(Array(writer.write(head)), as: .responses).messages.first?.response)
                .headerFields[.date]
            #expect(date?.hasSuffix(" GMT") == true)
            #expect(date?.utf8.count == 29)
        }
    }
#endif
