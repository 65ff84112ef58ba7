// SPDX-License-Identifier: MIT
#if HTTP
    import HTTPTypes
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
                ("/a/x/y", "below a"), ("/%61", "a"), ("/%61%2Fx", "none"), ("/a%2fb/c", "none"),
                ("/a/b/c", "later"), ("/a/b", "below a"), ("/c/d", "d"),
            ] {
                let response = try fixture.exchange("GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n", on: client)
                if text == "none" {
                    #expect(response.status == 404, "\(path)")
                } else {
                    #expect(response.text == text, "\(path)")
                }
            }
            for path in ["/x", "/ab", "/%2561", "/c/e"] {
                let response = try fixture.exchange("GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n", on: client)
                #expect(response.status == 404, "\(path)")
            }
        }

        @Test("An encoded path cannot bypass the service that guards it", arguments: LoopKind.all)
        func guarded(_ kind: LoopKind) throws {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            try folder.folder("root/private")
            for name in ["private/x", "secret.txt", "a b", "open"] { try folder.file("root/\(name)", "file") }
            let files = try StaticFiles(at: folder.root, below: "/files/")
            let guarded = HTTPService.function { request in .ok(Bytes("guarded \(request.head.path ?? "")")) }
            let table = HTTPService.paths([
                "/files/": files.service, "/files/private/": guarded, "/files/secret.txt": guarded,
                "/files/a%20b": guarded,
            ])
            let fixture = try HTTPFixture(kind, service: table)
            let client = try fixture.connect()
            func text(_ path: String) throws -> String {
                try fixture.exchange("GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n", on: client).text
            }
            for path in [
                "/files/private/x", "/files/%70rivate/x", "/files/privat%65/x?a", "/files/%70%72ivate/%78",
                "/%66iles/private/x", "/files/secret.txt", "/files/secret%2Etxt", "/files/%73ecret.txt?%3F",
                "/files/a%20b", "/files/%61%20b",
            ] {
                #expect(try text(path) == "guarded \(path)")
            }
            #expect(try text("/files/%6Fpen") == "file")
            for path in ["/files/private%2Fx", "/files/%2570rivate/x", "/files/.%2Fprivate/x", "/files/private%00/x"] {
                #expect(try text(path) != "file", "\(path)")
            }
        }
    }
#endif
