// SPDX-License-Identifier: MIT
#if Tracing
    import HTTPTypes
    import InMemoryTracing
    import LoopTestSupport
    import ReactiveCore
    import ReactiveHTTP
    import ReactiveSignals
    import ReactiveSockets
    import ReactiveTracing
    import SchedulerConformance
    import Testing
    import Tracing
    import TracingTestSupport

    /// The method of a request in its span.
    @Suite struct MethodTests {
        @Test("A request with an unknown method has a span named HTTP, with the method _OTHER")
        func names() throws {
            let known = ["CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "TRACE"]
            let unknown = ["AAAA1", "AAAA2", "GETS", "_OTHER"]
            let fixture = try TracingFixture(.dispatch)
            let service = HTTPService.function { _ in .ok("") }.traced(by: fixture.tracer)
            for method in known + unknown {
                let head = HTTPRequest(
                    method: try #require(HTTPRequest.Method(method)),
                    scheme: "http",
                    authority: "localhost",
                    path: "/\(method)"
                )
                service.responses(to: HTTPRequestMessage(head)).subscribe(onValue: { _ in }, onTermination: { _ in })
            }
            let spans = fixture.spans
            let paths = spans.compactMap { $0.texts["url.path"] }
            let methods = spans.compactMap { $0.texts["http.request.method"] }
            #expect(paths == (known + unknown).map { "/\($0)" })
            #expect(spans.map(\.operationName) == known + unknown.map { _ in "HTTP" })
            #expect(methods == known + unknown.map { _ in "_OTHER" })
            #expect(spans.allSatisfy { $0.kind == .server })
            fixture.stop()
        }

        @Test("A server passes a request with an unknown method on, and its span is named HTTP")
        func server() throws {
            let fixture = try TracingFixture(.dispatch)
            let server = try HTTPServer(
                on: .loopback(port: 0),
                loops: LoopGroup(fixture.loop),
                service: .function { _ in .ok("") }.traced(by: fixture.tracer)
            )
            let peer = try RawPeer(to: server.localAddress)
            let request = "AAAA1 /token HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
            try peer.sendAll(Array(request.utf8)) { isDone in try waitUntil("room", isDone) }
            _ = try peer.receiveToEnd { isDone in try waitUntil("the response", isDone) }
            try waitUntil("a span") { fixture.spans.contains { $0.texts["url.path"] == "/token" } }
            let span = try #require(fixture.spans.first { $0.texts["url.path"] == "/token" })
            #expect(span.operationName == "HTTP")
            #expect(span.texts["http.request.method"] == "_OTHER")
            fixture.stop()
        }
    }
#endif
