// SPDX-License-Identifier: MIT
import ArgumentParser
import Glibc
import Logging
import Loops
import ReactiveCommands
import ReactiveCore
import ReactiveLogging
import ReactiveSignals
import ReactiveSockets

/// Sends each peer's bytes back, on the chosen loop, until SIGINT or SIGTERM.
@main
struct EchoServer: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "echo-server",
        abstract: "Returns each peer's bytes, on the event loop of your choice.",
        discussion: """
            On SIGTERM or SIGINT the server stops accepting connections. Open connections may finish within --grace \
            seconds; the rest are reset. Then the server exits with 0. A second signal terminates it immediately.
            """
    )

    @Option(help: "The event loop: dispatch, libuv or libevent.")
    var loop = LoopChoice.dispatch

    @Option(help: "The IPv4 or IPv6 address to listen on. A host name is not accepted.")
    var host = "127.0.0.1"

    @Option(help: "The port to listen on, 0 to 65535. With 0 the system picks one.")
    var port = 7000

    @Option(help: "The path of a Unix socket to listen on, instead of an address and a port.")
    var unix: String?

    @Option(help: "The number of loops that serve, each on its own thread. With 1, only the main thread serves.")
    var threads = 1

    @Option(help: "The maximum number of open connections. Further peers wait. No limit by default.")
    var maxConnections: Int?

    @Option(help: "The number of seconds that a connection may be idle. No limit by default.")
    var idleTimeout: Double?

    @Option(help: "How many seconds open connections may take to finish after SIGTERM or SIGINT.")
    var grace = 5.0

    @Flag(help: "Do not log connections.")
    var quiet = false

    @OptionGroup
    var tls: TLSOptions

    @OptionGroup
    var proxy: ProxyOptions

    @OptionGroup
    var restart: RestartOptions

    @OptionGroup
    var dashboard: DashboardOptions

    func validate() throws {
        do {
            _ = try address
        } catch {
            throw ValidationError("\(error)")
        }
        guard (1...1024).contains(threads) else { throw ValidationError("--threads must be a number from 1 to 1024") }
        guard maxConnections ?? 1 >= 1 else { throw ValidationError("--max-connections must be 1 or more") }
        guard idleTimeout ?? 1 > 0 else { throw ValidationError("--idle-timeout must be above 0 seconds") }
        guard (0...86_400).contains(grace) else { throw ValidationError("--grace must be 0 to 86400 seconds") }
    }

    func run() throws {
        try Failure.reporting { try serve() }
    }

    private func serve() throws {
        dashboard.beginRecording()
        let main = try loop.main()
        let loops = threads == 1 ? LoopGroup(main) : try LoopGroup(count: threads) { try loop.make(name: "echo-\($0)") }
        let transformer = try tls.transformer(on: main)
        let service: @Sendable (Connection) -> Signal<Never, SocketError> = { connection in
            connection.send(from: connection.received)
        }
        let inherited = try restart.inherit()
        let server = try restart.server(
            on: address,
            adopting: inherited,
            loops: loops,
            limits: limits,
            transformer: transformer,
            proxies: proxy.proxies,
            service: service
        )
        if !quiet { server.log(to: Logger(label: "echo") { StreamLogHandler.standardError(label: $0) }) }
        let life = ServerLife(server, on: main)
        let restarting = try restart.begin(server, after: inherited, on: main) { [grace] in
            life.drain.execute(.seconds(grace))
        }
        try life.drainOnSignal(within: .seconds(grace), on: main) { restarting.reportStopping() }

        print("listening on \(server.localAddress), \(loop) loop; try: \(client(of: server))")
        if let line = try dashboard.serve(observing: loops, "echo", server, on: loop) { print(line) }
        fflush(nil)  // Otherwise a program that reads this from a pipe would wait.
        restarting.reportReady()
        try withExtendedLifetime(life) { try main.run() }
        if threads > 1 { loops.dispose() }
        let totals = server.totals
        print("served \(totals.accepted) connections, \(totals.failed) failed")
    }

    private var address: SocketAddress {
        get throws { try unix.map { try .unix(path: $0) } ?? SocketAddress(host: host, port: port) }
    }

    private var limits: ServerLimits {
        let idle = idleTimeout.map { Duration.seconds($0) }
        return ServerLimits(maxConnections: maxConnections, timeouts: ConnectionTimeouts(idle: idle))
    }

    private func client(of server: Server) -> String {
        let port = server.localAddress.port
        if tls.certificate != nil {
            return "openssl s_client -connect \(server.localAddress.path ?? "\(host):\(port)")"
        }
        return server.localAddress.path.map { "nc -U \($0)" } ?? "nc \(host) \(port)"
    }
}
