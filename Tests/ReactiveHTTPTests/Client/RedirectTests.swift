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

    /// Redirects (RFC 9110 section 15.4), and the resolution of their locations.
    @Suite struct RedirectTests {
        @Test("Relative references, as in RFC 3986 section 5.4")
        func references() {
            let base = URLReference("http://a/b/c/d;p?q")
            let cases = [
                ("g:h", "g:h"), ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"),
                ("/g", "http://a/g"), ("//g", "http://g/"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"),
                ("#s", "http://a/b/c/d;p?q"), ("g#s", "http://a/b/c/g"), (";x", "http://a/b/c/;x"),
                ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"), ("./", "http://a/b/c/"), ("..", "http://a/b/"),
                ("../", "http://a/b/"), ("../g", "http://a/b/g"), ("../..", "http://a/"), ("../../g", "http://a/g"),
                ("../../../g", "http://a/g"), ("../../../../g", "http://a/g"), ("/./g", "http://a/g"),
                ("/../g", "http://a/g"), ("g.", "http://a/b/c/g."), (".g", "http://a/b/c/.g"),
                ("g..", "http://a/b/c/g.."), ("..g", "http://a/b/c/..g"), ("./../g", "http://a/b/g"),
                ("./g/.", "http://a/b/c/g/"), ("g/./h", "http://a/b/c/g/h"), ("g/../h", "http://a/b/c/h"),
                ("g;x=1/./y", "http://a/b/c/g;x=1/y"), ("g;x=1/../y", "http://a/b/c/y"),
                ("g?y/./x", "http://a/b/c/g?y/./x"), ("g#s/../x", "http://a/b/c/g"),
            ]
            for (reference, expected) in cases where reference != "g:h" {
                let result = URLReference(reference).resolved(against: base)
                let text = "\(result.scheme ?? "")://\(result.authority ?? "")\(result.target)"
                #expect(text == expected, "\(reference)")
            }
            #expect(URLReference("g:h").resolved(against: base).scheme == "g")
            #expect(URLReference.encoded("/ä b\u{7}%20") == "/%C3%A4%20b%07%20")
        }

        /// Follows redirects of one server, and returns the requests that it received.
        private func follow(
            _ kind: LoopKind,
            _ request: (String) -> HTTPRequestMessage,
            _ responses: [(status: Int, location: String)],
            _ policy: HTTPRedirectPolicy = .follow(limit: 5)
        ) throws -> (answer: Answer, requests: [String]) {
            let fixture = try ClientFixture(kind) { $0.redirects = policy }
            let requests = Recorder<String>()
            let (_, url) = try fixture.serve(
                .signal { request in
                    request.body.bytes().map { bytes in
                        let fields = request.head.headerFields.map { "\($0.name)=\($0.value)" }.joined(separator: ",")
                        requests.append(
                            "\(request.head.method) \(request.head.path ?? "") \(String(decoding: bytes, as: UTF8.self)) \(fields)"
                        )
                        guard requests.count <= responses.count else { return .ok("end") }
                        let (status, location) = responses[requests.count - 1]
                        var response = HTTPResponseMessage.response(.init(code: status), HTTPBody("moved"))
                        if !location.isEmpty { response.head.headerFields[.location] = location }
                        return response
                    }
                }
            )
            let answer = fixture.send(request(url))
            try fixture.finish(answer)
            #expect(answer.terminationCount == 1)
            return (answer, requests.values)
        }

        @Test(
            "The methods after a redirect",
            arguments: [
                (301, "GET", "GET x"), (301, "POST", "GET "), (301, "PUT", "PUT x"), (302, "POST", "GET "),
                (302, "DELETE", "DELETE x"), (303, "POST", "GET "), (303, "PUT", "GET "), (303, "HEAD", "HEAD "),
                (307, "POST", "POST x"), (308, "PUT", "PUT x"), (308, "POST", "POST x"),
            ]
        )
        func methods(_ status: Int, _ method: String, _ expected: String) throws {
            let (answer, requests) = try follow(
                .dispatch,
                { url in
                    .request(
                        HTTPRequest.Method(method) ?? .get,
                        url + "/a/b",
                        fields: [.contentType: "t", .accept: "a"],
                        body: method == "HEAD" ? .empty : HTTPBody("x")
                    )
                },
                [(status, "c?d")]
            )
            let parts = expected.split(separator: " ", omittingEmptySubsequences: false)
            let keeps = parts[1] == "x" || method == "HEAD"
            let length = parts[1] == "x" ? ",Content-Length=1" : ""
            #expect(requests.count == 2 && answer.status == 200)
            #expect(
                requests.last == "\(parts[0]) /a/c?d \(parts[1]) \(keeps ? "Content-Type=t," : "")Accept=a\(length)"
            )
        }

        @Test("Redirects are followed on the same connection, up to the limit", arguments: LoopKind.all)
        func limit(_ kind: LoopKind) throws {
            let many = (0..<5).map { (302, "/\($0)") }
            let (answer, requests) = try follow(kind, { .get($0) }, many)
            #expect(answer.text == "end" && requests.count == 6)
            let (failed, _) = try follow(kind, { .get($0) }, many + [(302, "/loop")])
            #expect(failed.error?.code == .redirectFailed)
            let (plain, single) = try follow(kind, { .get($0) }, many, .none)
            #expect(plain.status == 302 && plain.text == "moved" && single.count == 1)
        }

        @Test("Redirects that cannot be followed", arguments: LoopKind.all)
        func failing(_ kind: LoopKind) throws {
            for location in ["ftp://a/", "mailto:x", "http://", "http://a b/", "http://u:p@a/", "https://a/"] {
                let (answer, requests) = try follow(kind, { .get($0) }, [(302, location)])
                #expect(
                    answer.error?.code == .redirectFailed || answer.error?.code == .noTLS,
                    "\(location): \(answer.error as Any)"
                )
                #expect(requests.count == 1)
            }
            // A body that was a signal cannot be sent again.
            let source = Signal<Bytes, Never>(values: ["x"] as [Bytes])
            let (signal, _) = try follow(kind, { .put($0, body: HTTPBody(source)) }, [(307, "/")])
            #expect(signal.error?.code == .redirectFailed)
            // Without a location, and for other statuses, the response is delivered.
            for status in [300, 301, 304, 305] {
                let (answer, requests) = try follow(kind, { .get($0) }, [(status, status == 301 ? "" : "/x")])
                #expect(answer.status == status && requests.count == 1)
            }
        }

        @Test("Another origin receives no secrets", arguments: LoopKind.all)
        func secrets(_ kind: LoopKind) throws {
            let fixture = try ClientFixture(kind) { $0.redirects = .follow(limit: 5) }
            let fields: HTTPFields = [
                .authorization: "secret", .cookie: "secret", .proxyAuthorization: "secret", .accept: "a",
            ]
            var request = HTTPRequestMessage.get("\(fixture.raw.url)/1", fields: fields)
            request.head.headerFields[.hostField] = "example.com"
            let answer = fixture.send(request)
            let peer = try fixture.accept()
            let first = try fixture.receive(at: peer)
            #expect(first.contains("Authorization: secret") && first.contains("Cookie: secret"))
            try fixture.answer("HTTP/1.1 302 X\r\nLocation: /2\r\nContent-Length: 0\r\n\r\n", from: peer)
            let second = try fixture.receive(at: peer)
            #expect(second.contains("Authorization: secret") && second.contains("Host: example.com"))
            let other = RawServer()
            defer { other.close() }
            try fixture.answer("HTTP/1.1 302 X\r\nLocation: \(other.url)/3\r\nContent-Length: 0\r\n\r\n", from: peer)
            var accepted: RawPeer?
            try fixture.loop.turns {
                accepted = other.accept()
                return accepted != nil
            }
            let otherPeer = try #require(accepted)
            let third = try fixture.receive(at: otherPeer)
            #expect(third == "GET /3 HTTP/1.1\r\nHost: \(other.address)\r\nAccept: a\r\n\r\n")
            try fixture.answer(ClientFixture.ok, from: otherPeer)
            try fixture.finish(answer)
            #expect(answer.text == "hello")
        }

        @Test(
            "The path of the first request may begin with two slashes",
            arguments: [
                ("//b.example/c", "d", "//b.example/d"), ("//b.example", "?q", "//b.example?q"),
                ("//b.example", "d", "//d"), ("//b.example/c?x", "", "//b.example/c?x"), ("/c?x?y", "?z", "/c?z"),
            ]
        )
        func slashes(_ path: String, _ location: String, _ expected: String) throws {
            let request = try PreparedRequest(.get("http://a.example" + path))
            let response = HTTPResponse(status: .found, headerFields: [.location: location])
            let next = try request.redirected(by: response, .follow(limit: 1)).message.head
            #expect(next.authority == "a.example" && next.path == expected)
        }

        @Test("A redirect from https to http needs a permission")
        func downgrade() throws {
            let request = try PreparedRequest(.get("https://a/"))
            let response = HTTPResponse(status: .found, headerFields: [.location: "http://a/"])
            #expect(throws: HTTPError(.redirectFailed, "")) { try request.redirected(by: response, .follow(limit: 1)) }
            let allowed = try request.redirected(by: response, .follow(limit: 1, allowsDowngrade: true))
            #expect(!allowed.origin.isSecure)
        }

        @Test("Cancelling during a redirect sends nothing more", arguments: LoopKind.all)
        func cancelling(_ kind: LoopKind) throws {
            let fixture = try ClientFixture(kind) { $0.redirects = .follow(limit: 5) }
            let answer = fixture.get()
            let peer = try fixture.acceptRequest()
            let other = RawServer()
            defer { other.close() }
            try fixture.answer("HTTP/1.1 302 X\r\nLocation: \(other.url)\r\nContent-Length: 0\r\n\r\n", from: peer)
            for _ in 0..<20 {
                try fixture.loop.turns(1)
                if fixture.client.connectionCount == 2 { break }
            }
            answer.subscription.dispose()
            peer.close()
            try fixture.expectNoConnections()
            #expect(answer.terminationCount == 0 && !answer.hasHead)
        }
    }
#endif
