// SPDX-License-Identifier: MIT
#if HTTP
    import LoopTestSupport
    import ReactiveSignals
    import ReactiveSockets
    import SchedulerConformance
    import Testing

    @testable import ReactiveHTTP

    @Suite struct PathTableTests {
        @Test("The longest path that matches chooses the service", arguments: LoopKind.all)
        func choice(_ kind: LoopKind) throws {
            func named(_ name: String) -> HTTPService { .function { _ in .ok(Bytes(name)) } }
            let later = HTTPService.signal { _ in Signal<HTTPResponseMessage, HTTPError>.just(.ok("later")) }
            let table = HTTPService.paths([
                "/": named("root"), "/a": named("a"), "/a/": named("below a"), "/a/b/": later,
                "/c/": .paths(["/c/d": named("d")]),
            ])
            let fixture = try HTTPFixture(kind, service: table)
            let client = try fixture.connect()
            for (path, text) in [
                ("/", "root"), ("/?x=/a", "root"), ("/a", "a"), ("/a?b", "a"), ("/a/", "below a"),
                ("/a/x/y", "below a"),
                ("/a/b/c", "later"), ("/a/b", "below a"), ("/c/d", "d"),
            ] {
                let response = try fixture.exchange("GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n", on: client)
                #expect(response.text == text, "\(path)")
            }
            for path in ["/x", "/ab", "/%61", "/c/e"] {
                let response = try fixture.exchange("GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n", on: client)
                #expect(response.status == 404, "\(path)")
            }
        }
    }
#endif
