// SPDX-License-Identifier: MIT
#if HTTP
    import ArgumentParser
    import Glibc
    import HTTPTypes
    import Loops
    import ReactiveCore
    import ReactiveHTTP
    import ReactiveSignals
    import ReactiveSockets

    /// Forwards HTTP requests to another server. Bodies are streamed in both directions: a side that does not read pauses the
    /// other one.
    @main
    struct ReverseProxy: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "reverse-proxy",
            abstract: "Forwards the HTTP requests of a port to another server.",
            discussion: """
                It answers with 502 if the other server cannot be reached or violates the protocol, and with 504 if that \
                server takes too long. It answers with 503 if too many requests wait, or if this process has no descriptor, \
                port or memory left, and with 501 to CONNECT.
                """
        )

        @Option(help: "The event loop: dispatch, libuv or libevent.")
        var loop = LoopChoice.dispatch

        @Option(help: "The address and port to listen on, such as 127.0.0.1:8081 or [::1]:8081.")
        var listen = Endpoint(argument: "127.0.0.1:8081")!

        @Option(help: "The address and port of the other server, such as 127.0.0.1:8080.")
        var origin: Endpoint

        @Option(help: "How many seconds the other server may take for the head of a response.")
        var timeout = 60.0

        @Option(help: "The number of loops that serve, each on its own thread. With 1, only the main thread serves.")
        var threads = 1

        func validate() throws {
            guard timeout > 0, timeout <= 86_400 else {
                throw ValidationError("--timeout must be above 0 and at most 86400 seconds")
            }
            guard (1...1024).contains(threads) else {
                throw ValidationError("--threads must be a number from 1 to 1024")
            }
        }

        func run() throws {
            try Failure.reporting { try forward() }
        }

        private func forward() throws {
            let main = try loop.main()
            let loops =
                threads == 1 ? LoopGroup(main) : try LoopGroup(count: threads) { try loop.make(name: "proxy-\($0)") }
            var configuration = HTTPClientConfiguration()
            configuration.timeouts.head = .seconds(timeout)
            configuration.connectionsPerOrigin = 256
            // A request runs on the loop of its peer, so no byte changes threads.
            let client = HTTPClient(loops: loops, configuration: configuration)
            let authority = "\(origin)"
            let service = HTTPService.signal { request in
                client.send(Self.forwarded(request, to: authority)).map { Self.returned($0) }
            }
            let server = try HTTPServer(on: listen.address, loops: loops, service: service)
            main.processSignals(.interrupt, .terminate).take(1).subscribe(
                onValue: { _ in
                    server.drain(within: .seconds(5)).subscribe(onTermination: { _ in
                        client.stop().subscribe(onTermination: { _ in main.stop() })
                    })
                },
                onTermination: { _ in }
            )
            print("listening on \(server.localAddress), forwarding to http://\(authority)")
            fflush(nil)  // Otherwise a program that reads this from a pipe would wait.
            try main.run()
            if threads > 1 { loops.dispose() }
        }

        /// The request for the other server. Its `Host` is that of the peer's request.
        private static func forwarded(_ request: HTTPRequestMessage, to authority: String) -> HTTPRequestMessage {
            var result = request
            result.head.headerFields = endToEnd(request.head.headerFields)
            if let host = request.head.authority, let name = HTTPField.Name("Host") {
                result.head.headerFields[name] = host
            }
            if let peer = request.peer?.address, let name = HTTPField.Name("X-Forwarded-For") {
                result.head.headerFields.append(HTTPField(name: name, value: peer.host))
            }
            result.head.headerFields.append(HTTPField(name: .via, value: "1.1 reverse-proxy"))
            result.head.scheme = "http"
            result.head.authority = authority
            return result
        }

        private static func returned(_ response: HTTPResponseMessage) -> HTTPResponseMessage {
            var result = response
            result.head.headerFields = endToEnd(response.head.headerFields)
            result.head.headerFields.append(HTTPField(name: .via, value: "1.1 reverse-proxy"))
            return result
        }

        /// The fields without those of one connection (RFC 9110 section 7.6.1).
        private static func endToEnd(_ fields: HTTPFields) -> HTTPFields {
            var names: Set<String> = [
                "connection", "keep-alive", "proxy-connection", "te", "transfer-encoding", "upgrade",
                "proxy-authenticate", "proxy-authorization",
            ]
            for value in fields[values: .connection] {
                for option in value.split(separator: ",") {
                    names.insert(option.filter { $0 != " " && $0 != "\t" }.lowercased())
                }
            }
            var result = HTTPFields()
            for field in fields where !names.contains(field.name.canonicalName) { result.append(field) }
            return result
        }
    }
#else
    @main
    enum ReverseProxy {
        static func main() {
            print("reverse-proxy needs the trait HTTP: build the examples with --traits HTTP")
        }
    }
#endif
