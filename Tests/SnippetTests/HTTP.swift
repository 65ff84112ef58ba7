// SPDX-License-Identifier: MIT
#if HTTP
    import HTTPTypes
    import ReactiveCore
    import ReactiveHTTP
    import ReactiveSignals
    import ReactiveSockets

    // The snippets of Docs/HTTP.md and of the page of ReactiveHTTP. ReactiveHTTPTests test these calls.

    private func greet(loops: LoopGroup) throws -> HTTPServer {
        let server = try HTTPServer(on: .loopback(port: 8080), loops: loops) { request in
            .ok("hello\n")
        }
        return server
    }

    private struct Store: Sendable {
        func value(for path: String) -> Signal<Bytes, HTTPError> { .just(Bytes(path)) }
    }

    private func answerLater(on address: SocketAddress, loops: LoopGroup, _ store: Store) throws -> HTTPServer {
        let server = try HTTPServer(
            on: address,
            loops: loops,
            service: .signal { request in
                store.value(for: request.head.path ?? "/").map { value in .ok(value) }
            }
        )
        return server
    }

    private func readBody(on address: SocketAddress, loops: LoopGroup) throws -> HTTPServer {
        let server = try HTTPServer(
            on: address,
            loops: loops,
            service: .signal { request in
                request.body.bytes(limit: 64 * 1024).map { bytes in .ok("received \(bytes.count) bytes\n") }
            }
        )
        return server
    }

    private func lines(of name: String) -> Signal<Bytes, Never> { .just("a line\n") }

    private func sendBody(on address: SocketAddress, loops: LoopGroup) throws -> HTTPServer {
        let server = try HTTPServer(on: address, loops: loops) { request in
            .ok(HTTPBody(lines(of: "access.log")), type: "text/plain")
        }
        return server
    }

    private func answerHalfClosed(
        on address: SocketAddress,
        loops: LoopGroup,
        _ service: HTTPService
    ) throws -> HTTPServer {
        var limits = HTTPLimits()
        limits.answersHalfClosed = true
        let connections = ServerLimits(timeouts: ConnectionTimeouts(halfClosed: .seconds(300)))
        let server = try HTTPServer(
            on: address,
            loops: loops,
            limits: limits,
            connections: connections,
            service: service
        )
        return server
    }

    private func upgrade(on address: SocketAddress, loops: LoopGroup) throws -> HTTPServer {
        let server = try HTTPServer(on: address, loops: loops) { request in
            guard request.head.headerFields[.upgrade] == "echo" else { return .response(.upgradeRequired) }
            return .upgrade(to: "echo") { upgrade in upgrade.received }
        }
        return server
    }
#endif
