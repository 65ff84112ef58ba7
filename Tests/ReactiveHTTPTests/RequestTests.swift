// SPDX-License-Identifier: MIT
#if HTTP
    import HTTPTypes
    import ReactiveSockets
    import Testing

    @testable import ReactiveHTTP

    @Suite struct RequestTests {
        @Test("A request has its method, target, host, fields and body")
        func whole() throws {
            let parsed = ParsedMessages(
                "POST /a?b=%20 HTTP/1.1\r\nHost: example.org:80\r\nX-Odd:\t a  b \t\r\naccept: */*\r\n"
                    + "Content-Length: 5\r\n\r\nhello"
            )
            #expect(parsed.error == nil)
            let message = try #require(parsed.messages.first)
            let request = try #require(message.request)
            #expect(request.method == .post)
            #expect(request.scheme == "http")
            #expect(request.authority == "example.org:80")
            #expect(request.path == "/a?b=%20")
            #expect(request.headerFields.map(\.name.rawName) == ["X-Odd", "Accept", "Content-Length"])
            #expect(request.headerFields.map(\.value) == ["a  b", "*/*", "5"])
            #expect(message.framing.body == .fixed(5))
            #expect(message.body == Array("hello".utf8))
            #expect(message.isComplete)
        }

        @Test("Pipelined requests are parsed one after the other")
        func pipelined() {
            let one = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
            let two = "PUT /2 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"
            let parsed = ParsedMessages(one + two + "\r\n" + one)
            #expect(parsed.messages.map(\.isComplete) == [true, true, true])
            #expect(parsed.messages.map { $0.request?.path } == ["/", "/2", "/"])
            #expect(parsed.messages[1].body == Array("abc".utf8))
        }

        @Test(
            "A request target has one of four forms",
            arguments: [
                ("GET", "/", "/", "h", "http"),
                ("GET", "/a/b;c=1,2?x[]={y}|^`&z=%2F", "/a/b;c=1,2?x[]={y}|^`&z=%2F", "h", "http"),
                ("GET", "//x", "//x", "h", "http"),
                ("OPTIONS", "*", "*", "h", "http"),
                ("CONNECT", "b.example:443", nil, "b.example:443", nil),
                ("CONNECT", "[::1]:443", nil, "[::1]:443", nil),
                ("GET", "http://b.example/p?q", "/p?q", "b.example", "http"),
                ("GET", "HTTPS://b.example:8443", "/", "b.example:8443", "https"),
                ("GET", "http://b?q", "/?q", "b", "http"),
                ("OPTIONS", "http://b", "*", "b", "http"),
                ("OPTIONS", "http://b/", "/", "b", "http"),
            ] as [(String, String, String?, String, String?)]
        )
        func targets(method: String, target: String, path: String?, authority: String, scheme: String?) {
            let parsed = ParsedMessages("\(method) \(target) HTTP/1.1\r\nHost: h\r\n\r\n")
            let request = parsed.messages.first?.request
            #expect(parsed.error == nil)
            #expect(request?.method.rawValue == method)
            #expect(request?.path == path)
            #expect(request?.authority == authority)
            #expect(request?.scheme == scheme)
        }

        @Test(
            "A version has one of these meanings",
            arguments: [
                ("HTTP/1.1", "", 1, true), ("HTTP/1.0", "", 0, false), ("HTTP/1.2", "", 1, true),
                ("HTTP/1.9", "", 1, true), ("HTTP/1.1", "Connection: close\r\n", 1, false),
                ("HTTP/1.0", "Connection: Keep-Alive\r\n", 0, true),
                ("HTTP/1.0", "Connection: keep-alive, close\r\n", 0, false),
                ("HTTP/1.1", "Connection: x\r\nConnection: y , CLOSE,z\r\n", 1, false),
                ("HTTP/1.1", "Connection: closed\r\n", 1, true),
            ]
        )
        func versions(version: String, fields: String, minor: Int, isPersistent: Bool) throws {
            let parsed = ParsedMessages("GET / \(version)\r\nHost: h\r\n\(fields)\r\n")
            let framing = try #require(parsed.messages.first).framing
            #expect(framing.minorVersion == minor)
            #expect(framing.isPersistent == isPersistent)
        }

        @Test("TRACE and CONNECT may state that they have no content", arguments: ["TRACE /", "CONNECT h:1"])
        func withoutContent(line: String) {
            for fields in ["", "Content-Length: 0\r\n"] {
                let parsed = ParsedMessages("\(line) HTTP/1.1\r\nHost: h\r\n\(fields)\r\n")
                #expect(parsed.messages.first?.isComplete == true && parsed.error == nil)
            }
        }

        @Test("A request of HTTP/1.0 needs no Host field")
        func withoutHost() {
            let parsed = ParsedMessages("GET / HTTP/1.0\r\n\r\n")
            #expect(parsed.messages.first?.request?.authority == nil)
            #expect(parsed.messages.count == 1)
        }

        @Test(
            "Expectations and upgrades are recognised in HTTP/1.1 only",
            arguments: [
                ("HTTP/1.1", "Expect: 100-Continue\r\n", MessageFraming.Expectation.continue, false),
                ("HTTP/1.1", "Expect: 100-continue\r\nExpect: x\r\n", .other, false),
                ("HTTP/1.1", "Expect: x\r\nExpect: 100-continue\r\n", .other, false),
                ("HTTP/1.1", "Expect:\r\n", .other, false),
                ("HTTP/1.0", "Expect: 100-continue\r\n", .none, false),
                ("HTTP/1.1", "Connection: keep-alive, Upgrade\r\nUpgrade: websocket\r\n", .none, true),
                ("HTTP/1.1", "Upgrade: websocket\r\n", .none, false),
                ("HTTP/1.0", "Connection: Upgrade\r\nUpgrade: websocket\r\n", .none, false),
            ]
        )
        func expectations(
            version: String,
            fields: String,
            expectation: MessageFraming.Expectation,
            isUpgrade: Bool
        ) throws {
            let parsed = ParsedMessages("POST / \(version)\r\nHost: h\r\nContent-Length: 1\r\n\(fields)\r\n")
            let framing = try #require(parsed.messages.first).framing
            #expect(framing.expectation == expectation)
            #expect(framing.isUpgrade == isUpgrade)
        }

        @Test(
            "A chunked body may have extensions and trailers",
            arguments: [
                "5\r\nhello\r\n0\r\n\r\n", "05\r\nhello\r\n000\r\n\r\n", "2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n",
                "5;a\r\nhello\r\n0;b=c\r\n\r\n", "5 ; a = \"x\\\"\t;\" ; b\r\nhello\r\n0\r\n\r\n",
                "5\r\nhello\r\n0\r\nX-Sum: 1\r\ncontent-length: 9\r\n\r\n",
                "0000000000000000000000005\r\nhello\r\n0\r\n\r\n",
            ]
        )
        func chunked(body: String) throws {
            let parsed = ParsedMessages(Rejection.chunked + body)
            let message = try #require(parsed.messages.first)
            #expect(parsed.error == nil)
            #expect(String(decoding: message.body, as: UTF8.self) == "hello")
            #expect(message.isComplete)
            #expect(message.trailers?.map(\.name.rawName) == (body.contains("X-Sum") ? ["X-Sum"] : nil))
        }

        @Test("Every known field name is found in any case, and no other name")
        func knownNames() throws {
            for name in ["Host"] + KnownFields.shared.allNames.map(\.rawName) {
                for spelling in [name, name.lowercased(), name.uppercased()] {
                    let value = name == "Host" ? "h" : "1"
                    let text = "GET / HTTP/1.0\r\n\(spelling): \(value)\r\n\r\n"
                    let parsed = ParsedMessages(text)
                    if let error = parsed.error { #expect(name == "Transfer-Encoding", "\(error)") }
                    guard let request = parsed.messages.first?.request else { continue }
                    if name == "Host" {
                        #expect(request.authority == "h")
                    } else {
                        #expect(request.headerFields.first?.name == HTTPField.Name(name))
                    }
                }
                // A line without a value, in memory that ends with it. The name must be found all the same.
                let lines = ["GET / HTTP/1.0\r\n", "\(name.uppercased()):\r\n", "\(name):\r\n", "\r\n"].map {
                    Array($0.utf8)
                }
                let cuts = lines.indices.dropFirst().map { lines[..<$0].joined().count }
                let whole = ParsedMessages(Array(lines.joined()))
                #expect(ParsedMessages(Array(lines.joined()), cutAt: cuts) == whole)
                #expect((whole.error != nil) == ["Host", "Content-Length", "Transfer-Encoding"].contains(name))
                // One character more, less, or other.
                for other in [name + "x", String(name.dropLast()) + "_", "y" + name.dropFirst()] where other.count > 1 {
                    let request = ParsedMessages("GET / HTTP/1.0\r\n\(other): 1\r\n\r\n").messages.first?.request
                    #expect(request?.headerFields.first?.name.rawName == other)
                }
            }
        }

        @Test("The sets of characters contain digits, letters and their marks")
        func characters() {
            let sets = [
                (ASCII.token, "!#$%&'*+-.^_`|~"), (ASCII.target, "-._~!$&'()*+,;=:@/?%[]^`{|}"),
                (ASCII.registeredName, "-._~!$&'()*+,;="),
            ]
            for (set, marks) in sets {
                for byte in UInt8.min...UInt8.max {
                    let isMember = ASCII.isDigit(byte) || ASCII.isLetter(byte) || marks.utf8.contains(byte)
                    #expect(set.contains(byte) == isMember, "\(byte)")
                }
            }
        }

        @Test("A field value is kept as it is, even if it is not UTF-8")
        func opaqueValues() throws {
            let bytes = Array("GET / HTTP/1.0\r\nX-A: \u{e9}\r\nX-B: a".utf8) + [0xFF, 0x80] + Array("b\r\n\r\n".utf8)
            let fields = try #require(ParsedMessages(bytes).messages.first?.request).headerFields
            #expect(fields[0].value == "\u{e9}")
            #expect(fields[1].withUnsafeBytesOfValue { Array($0) } == [0x61, 0xFF, 0x80, 0x62])
        }

        @Test("The bytes after a request can be taken for another protocol")
        func rest() throws {
            var parser = MessageParser(.requests(scheme: "http"))
            parser.feed("GET / HTTP/1.1\r\nHost: h\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n\u{1}\u{2}")
            guard case .request(_, let framing) = try parser.next() else {
                Issue.record("no request")
                return
            }
            #expect(framing.isUpgrade)
            #expect(try parser.next() == .end(nil))
            #expect(parser.takeRest() == "\u{1}\u{2}")
        }
    }
#endif
