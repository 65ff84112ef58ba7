import ArgumentParser
import Glibc
import Loops
import ReactiveCore
import ReactiveSignals
import ReactiveSockets

/// A TCP proxy: every peer that connects is piped to a connection to the target, on a loop of another kind if asked.
@main
struct PortForward: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "port-forward",
        abstract: "Forwards a port to an address."
    )

    @Option(help: "The event loop of the peers: dispatch, libuv or libevent.")
    var loop = LoopChoice.dispatch

    @Option(help: "The event loop of the connections to the target; the same one unless said otherwise.")
    var targetLoop: LoopChoice?

    @Option(help: "Where to listen: an address and a port, 127.0.0.1:7001 or [::1]:7001.")
    var listen = Endpoint(argument: "127.0.0.1:7001")!

    @Option(help: "Where to connect to.")
    var target: Endpoint

    @Option(help: "How many seconds the target may take to accept a connection.")
    var connectTimeout = 10.0

    func validate() throws {
        guard connectTimeout > 0, connectTimeout <= 3600 else {
            throw ValidationError("--connect-timeout is a number of seconds from 0 to 3600")
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
        let server = try Server(on: listen.address, loops: LoopGroup(main)) { peer in
            Connection.connect(to: target, loop: other, settings: settings)
                // A peer that has left without a byte does not need the target any more.
                .take(until: peer.endOfStream)
                .flatMap { Connection.pipe(peer, $0) }
        }
        for signal in [ProcessSignal.interrupt, .terminate] {
            _ = try main.onSignal(signal) { server.stop().subscribe(onTermination: { _ in main.stop() }) }
        }
        print("listening on \(server.localAddress), forwarding to \(target)")
        fflush(nil)
        try main.run()
    }
}
