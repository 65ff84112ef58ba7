import ArgumentParser
import Glibc
import Logging
import Loops
import ReactiveCore
import ReactiveLogging
import ReactiveSignals
import ReactiveSockets

/// Sends back to every peer what it sends, on the chosen loop, until a signal ends it.
@main
struct EchoServer: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "echo-server",
        abstract: "Sends back to every peer what it sends, on whichever event loop is chosen.",
        discussion: """
            On SIGTERM or SIGINT it accepts nobody any more and lets open connections finish within the grace; what is left \
            then is broken off, and it exits with 0. A second signal ends it at once.
            """
    )

    @Option(help: "The event loop: dispatch, libuv or libevent.")
    var loop = LoopChoice.dispatch

    @Option(help: "The address to listen on: IPv4 or IPv6, not a name.")
    var host = "127.0.0.1"

    @Option(help: "The port to listen on, 0 to 65535; 0 lets the system pick one.")
    var port = 7000

    @Option(help: "The path of a Unix socket to listen on, instead of an address and a port.")
    var unix: String?

    @Option(help: "How many loops serve, each on a thread of its own; 1 is the main thread alone.")
    var threads = 1

    @Option(help: "How many connections are served at once; further peers wait.")
    var maxConnections: Int?

    @Option(help: "After so many seconds without a byte a connection is ended.")
    var idleTimeout: Double?

    @Option(help: "How many seconds open connections get to finish after SIGTERM.")
    var grace = 5.0

    @Flag(help: "Do not log connections.")
    var quiet = false

    func validate() throws {
        do {
            _ = try address
        } catch {
            throw ValidationError("\(error)")
        }
        guard (1...1024).contains(threads) else { throw ValidationError("--threads is a number from 1 to 1024") }
        guard maxConnections ?? 1 >= 1 else { throw ValidationError("--max-connections is a number from 1 on") }
        guard idleTimeout ?? 1 > 0 else { throw ValidationError("--idle-timeout is a number of seconds above 0") }
        guard grace >= 0 else { throw ValidationError("--grace is a number of seconds from 0 on") }
    }

    func run() throws {
        try Failure.reporting { try serve() }
    }

    private func serve() throws {
        let main = try loop.main()
        let loops = threads == 1 ? LoopGroup(main) : try LoopGroup(count: threads) { try loop.make(name: "echo-\($0)") }
        let server = try Server(on: address, loops: loops, limits: limits) { connection in
            connection.send(from: connection.received)
        }
        if !quiet { server.log(to: Logger(label: "echo") { StreamLogHandler.standardError(label: $0) }) }
        let life = ServerLife(server, on: main)
        try life.drainOnSignal(within: .seconds(grace), on: main)

        print("listening on \(server.localAddress), \(loop) loop; try: \(client(of: server))")
        fflush(nil)  // whoever reads this from a pipe waits for it
        try withExtendedLifetime(life) { try main.run() }
        if threads > 1 { loops.dispose() }
        let totals = server.totals
        print("served \(totals.accepted) connections, \(totals.failed) of them broke off")
    }

    private var address: SocketAddress {
        get throws { try unix.map { try .unix(path: $0) } ?? SocketAddress(host: host, port: port) }
    }

    private var limits: ServerLimits {
        let idle = idleTimeout.map { Duration.seconds($0) }
        return ServerLimits(maxConnections: maxConnections, timeouts: ConnectionTimeouts(idle: idle))
    }

    private func client(of server: Server) -> String {
        server.localAddress.path.map { "nc -U \($0)" } ?? "nc \(host) \(server.localAddress.port)"
    }
}
