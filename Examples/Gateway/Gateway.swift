// SPDX-License-Identifier: MIT
#if HTTP
    import ArgumentParser
    import Glibc
    import Loops
    import ReactiveCore
    import ReactiveHTTP
    import ReactiveSignals
    import ReactiveSockets

    /// Serves the keys of a key-value server over HTTP. Values are streamed in both directions: a side that does not read
    /// pauses the other one.
    @main
    struct Gateway: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "gateway",
            abstract: "Serves the keys of a Redis or key-value server over HTTP.",
            discussion: """
                GET, PUT, DELETE and HEAD of /keys/NAME become GET, SET, DEL and EXISTS. NAME is percent-decoded. A missing \
                key is answered with 404. If the key-value server cannot be reached, refuses a command or violates the \
                protocol, the answer is 502. If it takes too long, the answer is 504. If too many requests wait, or this \
                process has no descriptor, port or memory left, the answer is 503. A PUT without Content-Length is answered \
                with 411.
                """
        )

        @Option(help: "The event loop: dispatch, libuv or libevent.")
        var loop = LoopChoice.dispatch

        @Option(help: "The IPv4 or IPv6 address to listen on. A host name is not accepted.")
        var host = "127.0.0.1"

        @Option(help: "The port to listen on, 0 to 65535. With 0 the system picks one.")
        var port = 8083

        @Option(help: "The address and port of the key-value server, such as 127.0.0.1:6379.")
        var origin = Endpoint(argument: "127.0.0.1:6379")!

        @Option(help: "The maximum number of connections to the key-value server on each loop. Further requests wait.")
        var connections = 64

        @Option(help: "How many seconds a request waits for a connection, for a reply, or for progress of a value.")
        var timeout = 30.0

        @Option(help: "The maximum number of bytes of a value that a PUT stores.")
        var maxValue = 512 * 1024 * 1024

        @Option(help: "The number of loops that serve, each on its own thread. With 1, only the main thread serves.")
        var threads = 1

        @Option(help: "How many seconds open requests may take to finish after SIGTERM or SIGINT.")
        var grace = 5.0

        @OptionGroup
        var restart: RestartOptions

        func validate() throws {
            do {
                _ = try SocketAddress(host: host, port: port)
            } catch {
                throw ValidationError("\(error)")
            }
            guard (1...65_536).contains(connections) else {
                throw ValidationError("--connections must be a number from 1 to 65536")
            }
            guard timeout > 0, timeout <= 86_400 else {
                throw ValidationError("--timeout must be above 0 and at most 86400 seconds")
            }
            guard maxValue >= 0 else { throw ValidationError("--max-value must be 0 or more") }
            guard (1...1024).contains(threads) else {
                throw ValidationError("--threads must be a number from 1 to 1024")
            }
            guard (0...86_400).contains(grace) else { throw ValidationError("--grace must be 0 to 86400 seconds") }
        }

        func run() throws {
            try Failure.reporting { try serve() }
        }

        private func serve() throws {
            let main = try loop.main()
            let loops =
                threads == 1 ? LoopGroup(main) : try LoopGroup(count: threads) { try loop.make(name: "gateway-\($0)") }
            // Each loop has its own connections to the key-value server. So no byte changes threads.
            let pools = loops.loops.map { loop in
                OriginPool(of: origin.address, on: loop, limit: connections, timeout: .seconds(timeout))
            }
            let keys = KeyService(pools, maxValue: maxValue)
            let service = HTTPService.paths(["/keys/": .signal { keys.respond(to: $0) }])
            let inherited = try restart.inherit()
            let server =
                if let inherited {
                    try HTTPServer(adopting: inherited.takeListening(), loops: loops, service: service)
                } else {
                    try HTTPServer(on: SocketAddress(host: host, port: port), loops: loops, service: service)
                }
            // A value whose rest cannot be delivered: the client sees a reset, so only this line names the reason.
            server.failures.filter { $0.isOfService || $0.error.cause is GatewayError }
                .subscribe(onValue: { print($0) })
            let restarting = try restart.begin(
                .server("main", server),
                at: server.localAddress,
                on: loops,
                after: inherited,
                on: main
            ) { [grace] in
                server.drain(within: .seconds(grace)).subscribe(onTermination: { _ in main.stop() })
            }
            restarting.drainOnSignal()
            print("listening on \(server.localAddress), \(loop) loop, for the key-value server \(origin)")
            fflush(nil)  // Otherwise a program that reads this from a pipe would wait.
            restarting.reportReady()
            try main.run()
            if threads > 1 { loops.dispose() }
        }
    }
#else
    @main
    enum Gateway {
        static func main() {
            print("gateway needs the trait HTTP: build the examples with --traits HTTP")
        }
    }
#endif
