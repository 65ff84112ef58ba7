// SPDX-License-Identifier: MIT
#if HTTP
    import HTTPTypes
    import ReactiveSupport
    import Testing

    @testable import ReactiveHTTP

    /// The handshakes of both sides, without a connection.
    @Suite struct HandshakeTests {
        private static let valid: HTTPFields = [
            .upgrade: "websocket", .connection: "Upgrade", .secWebSocketVersion: "13",
            .secWebSocketKey: "dGhlIHNhbXBsZSBub25jZQ==",
        ]

        private static func request(_ change: (inout HTTPFields) -> Void = { _ in }) -> HTTPRequest {
            var request = HTTPRequest(method: .get, scheme: "http", authority: "example.org:8080", path: "/")
            request.headerFields = valid
            change(&request.headerFields)
            return request
        }

        private static func refusal(
            _ request: HTTPRequest,
            hasBody: Bool = false,
            _ configuration: WebSocketConfiguration = WebSocketConfiguration()
        ) -> ServerHandshake.Refusal? {
            do throws(ServerHandshake.Refusal) {
                _ = try ServerHandshake(request, hasBody: hasBody, configuration)
                return nil
            } catch {
                return error
            }
        }

        @Test("The example of RFC 6455 section 1.3 is accepted")
        func example() throws {
            let handshake = try ServerHandshake(Self.request(), hasBody: false, WebSocketConfiguration())
            #expect(handshake.fields[.secWebSocketAccept] == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
            #expect(handshake.fields.count == 1 && handshake.subprotocol == nil && handshake.compression == nil)
        }

        @Test(
            "SHA-1 has the digests of RFC 3174",
            arguments: [
                ("", "da39a3ee5e6b4b0d3255bfef95601890afd80709"), ("abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
                (String(repeating: "a", count: 1_000), "291e9a6c66994949b57ba5e650361e98fc36b1ba"),
            ]
        )
        func digest(_ text: String, _ expected: String) {
            let digest = SHA1.digest(of: Array(text.utf8))
            #expect(digest.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() == expected)
        }

        @Test(
            "base64 has the encodings of RFC 4648",
            arguments: [
                ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
            ]
        )
        func base64(_ text: String, _ expected: String) {
            #expect(Base64.encode(Array(text.utf8)) == expected)
            #expect(Base64.decodedCount(expected) == text.utf8.count)
        }

        @Test("Text that is no base64 has no decoded count", arguments: ["A", "AB=C", "====", "AB-=", "A==="])
        func noBase64(_ text: String) { #expect(Base64.decodedCount(text) == nil) }

        @Test("Tokens are found in lists and in whatever case")
        func tokens() {
            let request = Self.request { fields in
                fields[.upgrade] = "WebSocket"
                fields[.connection] = "keep-alive, UPGRADE"
            }
            #expect(Self.refusal(request) == nil)
        }

        @Test("A request without an upgrade receives 426 and the protocol")
        func noUpgrade() {
            for change: (inout HTTPFields) -> Void in [
                { $0[.upgrade] = nil }, { $0[.upgrade] = "h2c" }, { $0[.connection] = "keep-alive" },
            ] {
                let refusal = Self.refusal(Self.request(change))
                #expect(refusal?.status == .upgradeRequired && refusal?.fields[.upgrade] == "websocket")
            }
        }

        @Test("Another version receives 426 and the version 13", arguments: ["8", "12", "13, 8", "013", nil])
        func version(_ version: String?) {
            let refusal = Self.refusal(Self.request { $0[.secWebSocketVersion] = version })
            #expect(refusal?.status == .upgradeRequired && refusal?.fields[.secWebSocketVersion] == "13")
        }

        @Test(
            "A key that is not 16 bytes in base64 receives 400",
            arguments: [
                nil, "", "c2hvcnQ=", "dGhlIHNhbXBsZSBub25jZQ", "dGhlIHNhbXBsZSBub25jZQ==, dGhlIHNhbXBsZSBub25jZQ==",
            ]
        )
        func key(_ key: String?) {
            #expect(Self.refusal(Self.request { $0[.secWebSocketKey] = key })?.status == .badRequest)
        }

        @Test("Only GET without a body is accepted")
        func method() {
            var request = Self.request()
            request.method = .post
            #expect(Self.refusal(request)?.status == .badRequest)
            #expect(Self.refusal(Self.request(), hasBody: true)?.status == .badRequest)
        }

        @Test(
            "The origin must be allowed",
            arguments: [
                (nil, true), ("http://example.org:8080", true), ("https://EXAMPLE.org:8080", true),
                ("http://example.org", false), ("https://evil.example", false), ("null", false),
                ("http://example.org:8080.evil.example", false), ("http://evil.example/example.org:8080", false),
            ]
        )
        func sameOrigin(_ origin: String?, _ isAllowed: Bool) {
            let request = Self.request { $0[.origin] = origin }
            #expect((Self.refusal(request)?.status == .forbidden) == !isAllowed)
            #expect(Self.refusal(request, WebSocketConfiguration { $0.origins = .any }) == nil)
        }

        @Test("Default ports do not matter, and lists and closures decide")
        func origins() {
            var request = Self.request { $0[.origin] = "https://example.org" }
            request.authority = "example.org:443"
            #expect(Self.refusal(request) == nil)
            request.authority = "example.org"
            request.headerFields[.origin] = "https://example.org:443"
            #expect(Self.refusal(request) == nil)
            request.headerFields[.origin] = "https://a.example"
            #expect(Self.refusal(request, WebSocketConfiguration { $0.origins = .list(["https://A.example"]) }) == nil)
            let other = WebSocketConfiguration { $0.origins = .list(["https://b.example"]) }
            #expect(Self.refusal(request, other)?.status == .forbidden)
            let closure = WebSocketConfiguration { $0.origins = .check { $0 != nil } }
            #expect(Self.refusal(request, closure) == nil)
            request.headerFields[.origin] = nil
            #expect(Self.refusal(request, closure)?.status == .forbidden)
        }

        @Test("The server chooses its preferred subprotocol")
        func subprotocols() throws {
            let configuration = WebSocketConfiguration { $0.subprotocols = ["v2.chat", "v1.chat"] }
            let request = Self.request { $0[.secWebSocketProtocol] = "v1.chat,v2.chat" }
            let handshake = try ServerHandshake(request, hasBody: false, configuration)
            #expect(handshake.subprotocol == "v2.chat" && handshake.fields[.secWebSocketProtocol] == "v2.chat")
            let unknown = Self.request { $0[.secWebSocketProtocol] = "v3.chat" }
            #expect(try ServerHandshake(unknown, hasBody: false, configuration).subprotocol == nil)
            for invalid in ["a b", "a, a", ","] {
                #expect(Self.refusal(Self.request { $0[.secWebSocketProtocol] = invalid })?.status == .badRequest)
            }
        }

        @Test(
            "Lists of extensions are parsed, with quoted values",
            arguments: [
                ("", []), ("a", ["a"]), ("a; b; c=1, d", ["a b c=1", "d"]),
                ("a ;\tb = \"1\\0\" , ,c", ["a b=10", "c"]),
            ] as [(String, [String])]
        )
        func extensions(_ text: String, _ expected: [String]) {
            let list = WebSocketExtension.list(text)?.map { element in
                ([element.name] + element.parameters.map { $0.name + ($0.value.map { "=\($0)" } ?? "") })
                    .joined(separator: " ")
            }
            #expect(list == expected)
        }

        @Test(
            "Malformed lists of extensions are refused",
            arguments: [
                ";", "a;", "a;=1", "a=1", "a; b=", "a; b=\"", "a; b=\"\"", "a; b=\"x y\"", "a b", "a; b=\"\\", "(",
            ]
        )
        func malformedExtensions(_ text: String) {
            #expect(WebSocketExtension.list(text) == nil)
            #expect(Self.refusal(Self.request { $0[.secWebSocketExtensions] = text })?.status == .badRequest)
        }

        @Test("Client and server agree with each other")
        func bothSides() throws {
            var server = WebSocketConfiguration { $0.compression = WebSocketCompression() }
            server.subprotocols = ["chat"]
            for windowBits in [9, 15] {
                for keeps in [true, false] {
                    var client = server
                    client.compression?.sendWindowBits = windowBits
                    client.compression?.receiveWindowBits = windowBits
                    client.compression?.keepsSendContext = keeps
                    client.compression?.keepsReceiveContext = keeps
                    let handshake = ClientHandshake(client)
                    var request = Self.request()
                    request.headerFields = handshake.fields
                    let accepted = try ServerHandshake(request, hasBody: false, server)
                    var response = HTTPResponse(status: .switchingProtocols, headerFields: accepted.fields)
                    response.headerFields[.upgrade] = "websocket"
                    response.headerFields[.connection] = "upgrade"
                    let (subprotocol, compression) = try handshake.check(response)
                    #expect(subprotocol == "chat" && compression == accepted.compression)
                    let parameters = DeflateParameters(windowBits: windowBits, keepsContext: keeps)
                    #expect(compression == DeflateAgreement(server: parameters, client: parameters))
                }
            }
        }

        @Test("A client refuses answers that violate the protocol")
        func answers() throws {
            let configuration = WebSocketConfiguration { $0.subprotocols = ["chat"] }
            let handshake = ClientHandshake(configuration, nonce: Array("the sample nonce".utf8))
            let valid: HTTPFields = [
                .upgrade: "websocket", .connection: "Upgrade", .secWebSocketAccept: "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=",
            ]
            let response = HTTPResponse(status: .switchingProtocols, headerFields: valid)
            #expect(try handshake.check(response).subprotocol == nil)
            for change: (inout HTTPResponse) -> Void in [
                { $0.status = .ok }, { $0.headerFields[.upgrade] = nil }, { $0.headerFields[.connection] = nil },
                { $0.headerFields[.secWebSocketAccept] = nil },
                { $0.headerFields[.secWebSocketAccept] = "s3pPLMBiTxaQ9kYGzzhZRbK+xOO=" },
                { $0.headerFields[.secWebSocketProtocol] = "other" },
                { $0.headerFields[.secWebSocketExtensions] = "permessage-deflate" },
                { $0.headerFields[.secWebSocketExtensions] = ";" },
            ] {
                var changed = response
                change(&changed)
                let error = #expect(throws: WebSocketError.self) { _ = try handshake.check(changed) }
                #expect(error?.code == .handshakeFailed)
            }
        }
    }
#endif
