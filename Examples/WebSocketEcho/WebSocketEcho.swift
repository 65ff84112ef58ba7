// SPDX-License-Identifier: MIT
#if HTTP
    import ArgumentParser
    import Glibc
    import Loops
    import ReactiveCore
    import ReactiveHTTP
    import ReactiveSignals
    import ReactiveSockets

    /// Sends every message back, on the chosen loop, until SIGINT or SIGTERM.
    @main
    struct WebSocketEcho: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "websocket-echo",
            abstract: "Sends the messages of WebSockets back, on the event loop of your choice.",
            discussion: "With --autobahn it is a client instead, and runs the cases of Autobahn's fuzzing server."
        )

        @Option(help: "The event loop: dispatch, libuv or libevent.")
        var loop = LoopChoice.dispatch

        @Option(help: "The IPv4 or IPv6 address to listen on, or to connect to. A host name is not accepted.")
        var host = "127.0.0.1"

        @Option(help: "The port to listen on, 0 to 65535. With 0 the system picks one.")
        var port = 8081

        @Option(help: "The maximum size of a message in bytes.")
        var limit = 16 << 20

        @Flag(help: "Compress messages if the client offers it.")
        var compress = false

        @Option(help: "Be a client: the port of Autobahn's fuzzing server.")
        var autobahn: Int?

        func validate() throws {
            do {
                _ = try SocketAddress(host: host, port: autobahn ?? port)
            } catch {
                throw ValidationError("\(error)")
            }
            guard limit > 0 else { throw ValidationError("--limit must be 1 byte or more") }
        }

        func run() throws {
            try Failure.reporting { try runOnLoop() }
        }

        private func runOnLoop() throws {
            let main = try loop.main()
            let configuration = WebSocketConfiguration { configuration in
                configuration.messageBytes = limit
                if compress { configuration.compression = WebSocketCompression() }
            }
            if let autobahn {
                let address = try SocketAddress(host: host, port: autobahn)
                let client = AutobahnClient(agent: loop.rawValue, address, main, configuration)
                client.runAll { main.stop() }
                return try main.run()
            }
            let address = try SocketAddress(host: host, port: port)
            let server = try HTTPServer(on: address, loops: LoopGroup(main)) { request in
                .webSocket(request, configuration) { socket in socket.send(from: socket.messages) }
            }
            main.processSignals(.interrupt, .terminate).take(1).subscribe(
                onValue: { _ in
                    server.drain(within: .seconds(5)).subscribe(onTermination: { _ in main.stop() })
                },
                onTermination: { _ in }
            )
            print("listening on \(server.localAddress), \(loop) loop; connect to ws://\(server.localAddress)/")
            fflush(nil)  // Otherwise a program that reads this from a pipe would wait.
            try main.run()
            print("served \(server.totals.accepted) connections, \(server.totals.failed) failed")
        }
    }
#else
    @main
    enum WebSocketEcho {
        static func main() {
            print("websocket-echo needs the trait HTTP: build the examples with --traits HTTP")
        }
    }
#endif
