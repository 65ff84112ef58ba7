// SPDX-License-Identifier: MIT
#if HTTP
    import HTTPTypes
    import ReactiveCore
    import ReactiveHTTP
    import ReactiveSignals
    import ReactiveSockets

    // The snippets of Docs/HTTPClient.md and of the client's doc comments. ReactiveHTTPTests test these calls.

    private func get(loops: LoopGroup) async throws -> HTTPResponseMessage? {
        let client = HTTPClient(loops: loops)
        let response = try await client.send(.get("http://example.com/")).first()
        return response
    }

    private func readBody(_ client: HTTPClient, _ url: String) -> Signal<Bytes, HTTPError> {
        let page = client.send(.get(url)).flatMap { response in response.body.bytes(limit: 1_000_000) }
        return page
    }

    private func lines(of name: String) -> Signal<Bytes, Never> { .just("a line\n") }

    private func sendBody(_ client: HTTPClient, _ url: String) -> Signal<HTTPResponseMessage, HTTPError> {
        let answer = client.send(.put(url, body: HTTPBody(lines(of: "access.log"))))
        return answer
    }

    private func proxy(on address: SocketAddress, loops: LoopGroup, _ client: HTTPClient) throws -> HTTPServer {
        let server = try HTTPServer(
            on: address,
            loops: loops,
            service: .signal { request in
                var request = request
                request.head.authority = "127.0.0.1:8080"
                return client.send(request)
            }
        )
        return server
    }
#endif
#if HTTP && TLS
    import ReactiveTLS

    private func useTLS(loops: LoopGroup) throws -> HTTPClient {
        var configuration = HTTPClientConfiguration(security: try TLSContext().client)
        configuration.redirects = .follow(limit: 5)
        let client = HTTPClient(loops: loops, configuration: configuration)
        return client
    }
#endif
