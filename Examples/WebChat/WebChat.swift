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

    /// A chat for browsers: a page, a WebSocket for each member, and server-sent events with the number of members.
    @main
    struct WebChat: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "web-chat",
            abstract: "A chat with rooms for browsers, over WebSockets.",
            discussion: """
                Open the printed address in two windows. With --nats, any number of processes share the rooms. A browser that \
                does not read loses its oldest lines when more than 256 wait for it.
                """
        )

        @Option(help: "The event loop: dispatch, libuv or libevent.")
        var loop = LoopChoice.dispatch

        @Option(help: "The IPv4 or IPv6 address to listen on. A host name is not accepted.")
        var host = "127.0.0.1"

        @Option(help: "The port to listen on, 0 to 65535. With 0 the system picks one.")
        var port = 8082

        @Option(help: "The maximum number of browsers' connections at the same time.")
        var maxConnections = 1000

        @Option(help: "The URL of a NATS server that connects several processes. It needs the trait NATS.")
        var nats: String?

        @OptionGroup
        var tls: TLSOptions

        @OptionGroup
        var restart: RestartOptions

        func run() throws {
            try Failure.reporting { try serve() }
        }

        private func serve() throws {
            let loop = try self.loop.main()
            let rooms = Rooms(try makeBackplane(nats, on: loop))
            let service = HTTPService.paths([
                "/": .function { request in Page.respond(to: request) },
                "/chat": .function { request in Member.join(request, rooms) },
                "/events": .function { _ in
                    .events(rooms.memberCount.signal.map { ServerSentEvent("\($0)", event: "members") })
                },
            ])
            let inherited = try restart.inherit()
            let server = try open(adopting: inherited, on: loop, service)
            let restarting = try restart.begin(
                .server("main", server),
                at: server.localAddress,
                on: server.loops,
                after: inherited,
                on: loop
            ) {
                server.drain(within: .seconds(2)).subscribe(onTermination: { _ in loop.stop() })
            }
            restarting.drainOnSignal()
            let scheme = tls.certificate == nil ? "http" : "https"
            print("listening on \(server.localAddress), \(self.loop) loop; open \(scheme)://\(server.localAddress)/")
            fflush(nil)  // Otherwise a program that reads this from a pipe would wait.
            restarting.reportReady()
            try loop.run()
        }

        /// Opens the server on inherited sockets, or, without any, on the address of the options.
        private func open(
            adopting inherited: InheritedSockets?,
            on loop: any LoopScheduler,
            _ service: HTTPService
        ) throws -> HTTPServer {
            let limits = ServerLimits(maxConnections: maxConnections)
            let transformer = try tls.transformer(on: loop)
            guard let inherited else {
                return try HTTPServer(
                    on: SocketAddress(host: host, port: port),
                    loops: LoopGroup(loop),
                    connections: limits,
                    transformer: transformer,
                    service: service
                )
            }
            return try HTTPServer(
                adopting: inherited.takeListening(),
                loops: LoopGroup(loop),
                connections: limits,
                transformer: transformer,
                service: service
            )
        }
    }
#else
    @main
    enum WebChatProgram {
        static func main() { print("web-chat needs the trait HTTP: build the examples with --traits HTTP") }
    }
#endif
