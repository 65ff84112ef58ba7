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

    /// Serves a greeting, an echo and a stream, on the chosen loop, until SIGINT or SIGTERM.
    @main
    struct HTTPServerProgram: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "http-server",
            abstract: "Serves HTTP on the event loop of your choice.",
            discussion: """
                GET / answers with a greeting, and GET /bytes/N with N bytes. POST /echo sends the body back while it \
                arrives. GET /ticks sends a line ten times a second, until the client leaves. GET /peer answers with \
                the client's address. --files serves a folder below /files/. With --work, GET /work answers after a \
                simulated query of a database, and --overload rejects requests with 503 when the database is overloaded.
                """
        )

        @Option(help: "The event loop: dispatch, libuv or libevent.")
        var loop = LoopChoice.dispatch

        @Option(help: "The IPv4 or IPv6 address to listen on. A host name is not accepted.")
        var host = "127.0.0.1"

        @Option(help: "The port to listen on, 0 to 65535. With 0 the system picks one.")
        var port = 8080

        @Option(help: "The number of loops that serve, each on its own thread. With 1, only the main thread serves.")
        var threads = 1

        @Option(help: "How many seconds open requests may take to finish after SIGTERM or SIGINT.")
        var grace = 5.0

        @Option(help: "A folder whose files are served below /files/.")
        var files: String?

        @OptionGroup
        var work: WorkOptions

        @OptionGroup
        var tls: TLSOptions

        @OptionGroup
        var proxy: ProxyOptions

        @OptionGroup
        var restart: RestartOptions

        func validate() throws {
            do {
                _ = try SocketAddress(host: host, port: port)
            } catch {
                throw ValidationError("\(error)")
            }
            guard (1...1024).contains(threads) else {
                throw ValidationError("--threads must be a number from 1 to 1024")
            }
            guard (0...86_400).contains(grace) else { throw ValidationError("--grace must be 0 to 86400 seconds") }
            try work.check()
        }

        func run() throws {
            try Failure.reporting { try serve() }
        }

        private func serve() throws {
            let main = try loop.main()
            let loops =
                threads == 1 ? LoopGroup(main) : try LoopGroup(count: threads) { try loop.make(name: "http-\($0)") }
            let transformer = try tls.transformer(on: main)
            let ticks = Signal<Int, Never>.interval(.milliseconds(100), on: main).map { _ in Bytes("tick\n") }
            let files = try files.map { try StaticFiles(at: $0, below: "/files/").respond(to:) }
            let respond = { @Sendable (request: HTTPRequestMessage) in Self.respond(to: request, ticks, files) }
            let inherited = try restart.inherit()
            let server = try open(adopting: inherited, loops, transformer, work.service(on: main, otherwise: respond))
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
            let scheme = tls.certificate == nil ? "http" : "https"
            print("listening on \(server.localAddress), \(loop) loop; try: curl \(scheme)://\(server.localAddress)/")
            fflush(nil)  // Otherwise a program that reads this from a pipe would wait.
            restarting.reportReady()
            try main.run()
            if threads > 1 { loops.dispose() }
            print("served \(server.totals.accepted) connections, \(server.totals.failed) failed")
        }

        /// Opens the server on inherited sockets, or, without any, on the address of the options.
        private func open(
            adopting inherited: InheritedSockets?,
            _ loops: LoopGroup,
            _ transformer: (@Sendable () -> any ConnectionTransformer)?,
            _ service: HTTPService
        ) throws -> HTTPServer {
            guard let inherited else {
                return try HTTPServer(
                    on: SocketAddress(host: host, port: port),
                    loops: loops,
                    transformer: transformer,
                    proxies: proxy.proxies,
                    service: service
                )
            }
            return try HTTPServer(
                adopting: inherited.takeListening(),
                loops: loops,
                transformer: transformer,
                proxies: proxy.proxies,
                service: service
            )
        }

        private static func respond(
            to request: HTTPRequestMessage,
            _ ticks: Signal<Bytes, Never>,
            _ files: (@Sendable (HTTPRequestMessage) -> HTTPResponseMessage)?
        ) -> HTTPResponseMessage {
            let path = request.head.path ?? "/"
            switch (request.head.method, path) {
            case (.get, "/"), (.head, "/"): return .ok("hello\n", type: "text/plain")
            case (.post, "/echo"), (.put, "/echo"): return .ok(request.body)
            case (.get, "/peer"): return .ok("\(request.peer?.address?.description ?? "unknown")\n", type: "text/plain")
            case (.get, "/ticks"): return .ok(HTTPBody(ticks), type: "text/plain")
            case (.get, _) where path.hasPrefix("/bytes/"):
                guard let count = Int(path.dropFirst(7)), (0...1_000_000_000).contains(count) else {
                    return .response(.badRequest)
                }
                return .ok(HTTPBody(bytes(count), length: count), type: "application/octet-stream")
            case _ where path.hasPrefix("/files/"): return files?(request) ?? .response(.notFound)
            default: return .response(.notFound)
            }
        }

        /// A signal of `count` bytes, in parts.
        private static func bytes(_ count: Int) -> Signal<Bytes, Never> {
            let part = Bytes([UInt8](repeating: UInt8(ascii: "x"), count: min(count, 16 * 1024)))
            let offsets = stride(from: 0, to: count, by: max(1, part.count))
            return Signal(values: offsets).map { offset in part.prefix(count - offset) }
        }
    }
#else
    @main
    enum HTTPServerProgram {
        static func main() {
            print("http-server needs the trait HTTP: build the examples with --traits HTTP")
        }
    }
#endif
