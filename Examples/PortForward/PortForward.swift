// SPDX-License-Identifier: MIT
import ArgumentParser
import Glibc
import Loops
import ReactiveCore
import ReactiveSignals
import ReactiveSockets

/// A TCP proxy. It pipes each peer to a new connection to the target, which may run on another kind of loop.
@main
struct PortForward: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "port-forward",
        abstract: "Forwards the connections of a port to another address."
    )

    @Option(help: "The event loop of the peers: dispatch, libuv or libevent.")
    var loop = LoopChoice.dispatch

    @Option(help: "The event loop of the connections to the target. The default is the loop of the peers.")
    var targetLoop: LoopChoice?

    @Option(help: "The address and port to listen on, such as 127.0.0.1:7001 or [::1]:7001.")
    var listen = Endpoint(argument: "127.0.0.1:7001")!

    @Option(help: "The address and port to connect to, such as 127.0.0.1:80.")
    var target: Endpoint

    @Option(help: "How many seconds the target may take to accept a connection, at most 3600.")
    var connectTimeout = 10.0

    @Option(help: "Name each peer to the target with the PROXY protocol, version v1 or v2.")
    var sendProxy: HeaderChoice?

    @OptionGroup
    var tls: TLSOptions

    @OptionGroup
    var proxy: ProxyOptions

    func validate() throws {
        guard connectTimeout > 0, connectTimeout <= 3600 else {
            throw ValidationError("--connect-timeout must be above 0 and at most 3600 seconds")
        }
    }

    func run() throws {
        try Failure.reporting { try forward() }
    }

    private func forward() throws {
        let main = try loop.main()
        let other = try targetLoop.map { try $0.make(name: "target") } ?? main
        let target = target.address
        let settings = ConnectSettings(timeout: .seconds(connectTimeout))
        // With a certificate, peers speak TLS, and the target receives what they send in plain text.
        let transformer = try tls.transformer(on: main)
        let server = try Server(
            on: listen.address,
            loops: LoopGroup(main),
            transformer: transformer,
            proxies: proxy.proxies
        ) { [sendProxy] peer in
            var settings = settings
            settings.proxyHeader = sendProxy.map { ProxyHeader($0.version, forwarding: peer) }
            // The pipe passes the peer's end of stream on. It does not end the attempt, because the peer may still read.
            return Connection.connect(to: target, loop: other, settings: settings)
                .flatMap { Connection.pipe(peer, $0) }
        }
        for signal in [ProcessSignal.interrupt, .terminate] {
            _ = try main.onSignal(signal) { server.stop().subscribe(onTermination: { _ in main.stop() }) }
        }
        print("listening on \(server.localAddress), forwarding to \(target)")
        fflush(nil)  // Otherwise a program that reads this from a pipe would wait.
        try main.run()
    }
}

/// The values of `--send-proxy`.
enum HeaderChoice: String, ExpressibleByArgument {
    case v1, v2

    var version: ProxyHeader.Version { self == .v1 ? .v1 : .v2 }
}
