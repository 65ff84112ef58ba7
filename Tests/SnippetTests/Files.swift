// SPDX-License-Identifier: MIT
#if HTTP
    import HTTPTypes
    import ReactiveCore
    import ReactiveHTTP
    import ReactiveSignals
    import ReactiveSockets

    // The snippets of Docs/Files.md and of the doc comments. ReactiveHTTPTests test these calls.

    private func serve(loops: LoopGroup) throws -> HTTPServer {
        let files = try StaticFiles(at: "public")
        let server = try HTTPServer(on: .loopback(port: 8080), loops: loops, service: files.service)
        return server
    }

    private func table() throws -> HTTPService {
        let files = try StaticFiles(at: "public", below: "/files/")
        let service = HTTPService.paths([
            "/": .function { request in .ok("hello\n") },
            "/files/": files.service,
        ])
        return service
    }

    private func settings(on address: SocketAddress, loops: LoopGroup) throws -> HTTPServer {
        var files = try StaticFiles(at: "public", links: .none)
        files.cacheControl = "no-cache"
        files.mediaType = { name in name.hasSuffix(".log") ? "text/plain; charset=utf-8" : nil }
        let server = try HTTPServer(on: address, loops: loops) { [files] request in
            request.head.path == "/health" ? .ok("ok\n") : files.respond(to: request)
        }
        return server
    }
#endif
