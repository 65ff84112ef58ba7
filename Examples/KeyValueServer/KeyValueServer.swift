import ArgumentParser
import Glibc
import Loops
import ReactiveCore
import ReactiveSignals
import ReactiveSockets
import Synchronization

/// Keeps values under keys and hands messages on, for whatever client speaks Redis' protocol, on whichever loop is chosen.
@main
struct KeyValueServer: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key-value-server",
        abstract: "A key-value and publish/subscribe server for Redis clients, on whichever event loop is chosen.",
        discussion: """
            It speaks RESP2: redis-cli and redis-benchmark are its clients. Nothing is kept on disk. On SIGTERM, SIGINT or SHUTDOWN \
            it answers what has come, ends the connections and exits with 0; a second signal ends it at once.
            """
    )

    @Option(help: "The event loop: dispatch, libuv or libevent.")
    var loop = LoopChoice.dispatch

    @Option(help: "The address to listen on: IPv4 or IPv6, not a name.")
    var host = "127.0.0.1"

    @Option(help: "The port to listen on, 0 to 65535; 0 lets the system pick one.")
    var port = 6379

    @Option(help: "The path of a Unix socket to listen on, instead of an address and a port.")
    var unix: String?

    @Option(
        help:
            "How many loops serve, each on a thread of its own; 1 is the main thread alone. The keys live on the first."
    )
    var threads = 1

    @Option(help: "How many connections are served at once; further peers wait.")
    var maxConnections: Int?

    @Option(help: "After so many seconds without a byte a connection is ended.")
    var idleTimeout: Double?

    @Option(help: "How many seconds connections get to take their last replies after SIGTERM.")
    var grace = 5.0

    @Option(help: "How many bytes a request may have; a longer one ends its connection.")
    var maxRequest = RequestLimits().bytes

    @Option(help: "How many words a request may have; one with more ends its connection.")
    var maxArguments = RequestLimits().arguments

    @Option(help: "How many bytes a reply may have; a longer one ends its connection.")
    var maxReply = Settings().replyBytes

    @Option(help: "How many messages wait for a subscriber that does not read.")
    var buffer = Settings().waitingMessages

    @Option(help: "How many bytes these messages may have.")
    var bufferBytes = Settings().waitingBytes

    @Option(help: "What becomes of it then: drop-oldest (it loses the oldest of them) or disconnect.")
    var slowSubscribers = SlowSubscribers.dropOldest

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
        guard maxRequest >= 1 else { throw ValidationError("--max-request is a number from 1 on") }
        guard maxArguments >= 1 else { throw ValidationError("--max-arguments is a number from 1 on") }
        guard maxReply >= 1 else { throw ValidationError("--max-reply is a number from 1 on") }
        guard bufferBytes >= 0 else { throw ValidationError("--buffer-bytes is a number from 0 on") }
        guard buffer >= 1 else { throw ValidationError("--buffer is a number from 1 on") }
    }

    func run() throws {
        try Failure.reporting { try serve() }
    }

    private func serve() throws {
        let main = try loop.main()
        let loops = threads == 1 ? LoopGroup(main) : try LoopGroup(count: threads) { try loop.make(name: "keys-\($0)") }
        let service = Service(on: loops.loops[0], settings)
        let server = try Server(on: address, loops: loops, limits: limits) { connection in service.serve(connection) }
        try closeOnSignal(service, main)
        let grace = Duration.seconds(grace)
        service.isClosing.signal.filter { $0 }.subscribe(onValue: { _ in
            server.drain(within: grace).subscribe(onTermination: { _ in main.stop() })
        })

        print("listening on \(server.localAddress), \(loop) loop; try: \(client(of: server))")
        fflush(nil)  // whoever reads this from a pipe waits for it
        try main.run()
        if threads > 1 { loops.dispose() }
        print("served \(server.totals.accepted) connections, \(service.executed.load(ordering: .relaxed)) requests")
    }

    /// The handlers go with the first signal, so that a second one does what it does to any program.
    private func closeOnSignal(_ service: Service, _ main: any LoopScheduler) throws {
        let handlers = CompositeDisposable()
        for signal in [ProcessSignal.interrupt, .terminate] {
            let handler = try main.onSignal(signal) {
                handlers.dispose()
                service.close()
            }
            handlers.add(handler)
        }
    }

    private var address: SocketAddress {
        get throws { try unix.map { try .unix(path: $0) } ?? SocketAddress(host: host, port: port) }
    }

    private var limits: ServerLimits {
        let idle = idleTimeout.map { Duration.seconds($0) }
        return ServerLimits(maxConnections: maxConnections, timeouts: ConnectionTimeouts(idle: idle))
    }

    private var settings: Settings {
        Settings(
            limits: RequestLimits(bytes: maxRequest, arguments: maxArguments),
            replyBytes: maxReply,
            waitingMessages: buffer,
            waitingBytes: bufferBytes,
            slowSubscribers: slowSubscribers
        )
    }

    private func client(of server: Server) -> String {
        server.localAddress.path.map { "redis-cli -s \($0)" } ?? "redis-cli -h \(host) -p \(server.localAddress.port)"
    }
}
