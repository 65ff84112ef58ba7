// SPDX-License-Identifier: MIT
import ArgumentParser
import Glibc
import Loops
import ReactiveCore
import ReactiveSignals
import ReactiveSockets
import Synchronization

/// A key-value store and message broker for Redis clients, on the chosen loop.
@main
struct KeyValueServer: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key-value-server",
        abstract: "A key-value and publish/subscribe server for Redis clients, on the event loop of your choice.",
        discussion: """
            It speaks RESP2, so redis-cli, redis-benchmark and client libraries can use it. It stores nothing on disk. \
            On SIGTERM, SIGINT or SHUTDOWN it answers the requests that have arrived, closes the connections and exits \
            with 0. A second signal terminates it immediately.
            """
    )

    @Option(help: "The event loop: dispatch, libuv or libevent.")
    var loop = LoopChoice.dispatch

    @Option(help: "The IPv4 or IPv6 address to listen on. A host name is not accepted.")
    var host = "127.0.0.1"

    @Option(help: "The port to listen on, 0 to 65535. With 0 the system picks one.")
    var port = 6379

    @Option(help: "The path of a Unix socket to listen on, instead of an address and a port.")
    var unix: String?

    @Option(
        help:
            "The number of loops, each on its own thread. With 1, the main thread serves. The first runs the store."
    )
    var threads = 1

    @Option(help: "The maximum number of open connections. Further peers wait. No limit by default.")
    var maxConnections: Int?

    @Option(help: "The number of seconds that a connection may be idle. No limit by default.")
    var idleTimeout: Double?

    @Option(help: "How many seconds clients may take to read their last replies after SIGTERM, SIGINT or SHUTDOWN.")
    var grace = 5.0

    @Option(help: "The maximum number of bytes of a request. A longer request ends its connection.")
    var maxRequest = RequestLimits().bytes

    @Option(help: "The maximum number of words of a request. A request with more words ends its connection.")
    var maxArguments = RequestLimits().arguments

    @Option(help: "The maximum number of bytes of a reply. A longer reply ends its connection.")
    var maxReply = Settings().replyBytes

    @Option(help: "The maximum number of messages that wait for a subscriber that does not read.")
    var buffer = Settings().waitingMessages

    @Option(help: "The maximum number of bytes of the waiting messages.")
    var bufferBytes = Settings().waitingBytes

    @Option(help: "Beyond these limits, drop-oldest drops the oldest messages, and disconnect resets the connection.")
    var slowSubscribers = SlowSubscribers.dropOldest

    @Option(
        help: "The requests per second from one address. Others are answered with -BUSY. No limit by default."
    )
    var maxRate: Int?

    @OptionGroup
    var tls: TLSOptions

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
        guard maxRequest >= 1 else { throw ValidationError("--max-request must be 1 or more") }
        guard maxArguments >= 1 else { throw ValidationError("--max-arguments must be 1 or more") }
        guard maxReply >= 1 else { throw ValidationError("--max-reply must be 1 or more") }
        guard bufferBytes >= 0 else { throw ValidationError("--buffer-bytes must be 0 or more") }
        guard maxRate ?? 1 >= 1 else { throw ValidationError("--max-rate must be 1 or more") }
        guard buffer >= 1 else { throw ValidationError("--buffer must be 1 or more") }
    }

    func run() throws {
        try Failure.reporting { try serve() }
    }

    private func serve() throws {
        dashboard.beginRecording()
        let main = try loop.main()
        let loops = threads == 1 ? LoopGroup(main) : try LoopGroup(count: threads) { try loop.make(name: "keys-\($0)") }
        let service = Service(on: loops.loops[0], settings)
        let transformer = try tls.transformer(on: main)
        let inherited = try restart.inherit()
        let server = try restart.server(
            on: address,
            adopting: inherited,
            loops: loops,
            limits: limits,
            transformer: transformer
        ) { connection in service.serve(connection) }
        let grace = Duration.seconds(grace)
        service.isClosing.signal.filter { $0 }.subscribe(onValue: { _ in
            server.drain(within: grace).subscribe(onTermination: { _ in main.stop() })
        })
        let leave: @Sendable () -> Void = {
            // Another process serves new clients. Those of this one may stay for the grace period.
            server.drain(within: grace + grace).subscribe(onTermination: { _ in main.stop() })
            main.schedule(after: grace) { service.close() }
        }
        let restarting = try restart.begin(server, after: inherited, on: main, drain: leave)
        try onSignal(main) { [sharesSockets = restart.sharesSockets] in
            restarting.reportStopping()
            if sharesSockets { leave() } else { service.close() }
        }

        print("listening on \(server.localAddress), \(loop) loop; try: \(client(of: server))")
        if let line = try dashboard.serve(observing: loops, "key-value", server, on: loop) { print(line) }
        fflush(nil)  // Otherwise a program that reads this from a pipe would wait.
        restarting.reportReady()
        try main.run()
        if threads > 1 { loops.dispose() }
        print("served \(server.totals.accepted) connections, \(service.executed.load(ordering: .relaxed)) requests")
    }

    /// Calls `end` on the first SIGINT or SIGTERM. Then disposes the handlers, so a second signal has its default
    /// effect.
    private func onSignal(_ main: any LoopScheduler, _ end: @escaping @Sendable () -> Void) throws {
        let handlers = CompositeDisposable()
        for signal in [ProcessSignal.interrupt, .terminate] {
            let handler = try main.onSignal(signal) {
                handlers.dispose()
                end()
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
            slowSubscribers: slowSubscribers,
            requestRate: maxRate.map { TokenRate($0) }
        )
    }

    private func client(of server: Server) -> String {
        let cli = tls.certificate == nil ? "redis-cli" : "redis-cli --tls"
        return server.localAddress.path.map { "\(cli) -s \($0)" } ?? "\(cli) -h \(host) -p \(server.localAddress.port)"
    }
}

extension SlowSubscribers: ExpressibleByArgument {}
