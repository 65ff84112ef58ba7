import ArgumentParser
import Glibc
import Logging
import Loops
import ReactiveCore
import ReactiveSignals
import ReactiveSockets
import Synchronization

/// Sends back to every peer what it sends, on whichever loop is chosen.
@main
struct EchoServer: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "echo-server",
        abstract: "Sends back to every peer what it sends, on whichever event loop is chosen."
    )

    @Option(help: "The event loop: dispatch, libuv or libevent.")
    var loop = LoopChoice.dispatch

    @Option(help: "The address to listen on: IPv4 or IPv6, not a name.")
    var host = "127.0.0.1"

    @Option(help: "The port to listen on, 0 to 65535; 0 lets the system pick one.")
    var port = 7000

    @Flag(help: "Do not log connections.")
    var quiet = false

    func validate() throws {
        do {
            _ = try SocketAddress(host: host, port: port)
        } catch {
            throw ValidationError("\(error)")
        }
    }

    func run() throws {
        do {
            try serve()
        } catch let error as SocketError {
            throw Failure(error.description)
        } catch let error as LoopError {
            throw Failure(error.description)
        }
    }

    private func serve() throws {
        let loop = try self.loop.main()
        let listener = try Listener(on: SocketAddress(host: host, port: port), loop: loop)
        let log = ConnectionLog(isQuiet: quiet)

        listener.connections.subscribe(onValue: { connection in
            log.follow(connection, connection.send(from: connection.received))
        })
        for signal in [ProcessSignal.interrupt, .terminate] {
            _ = try loop.onSignal(signal) { loop.stop() }
        }

        print("listening on \(listener.localAddress), \(self.loop) loop; try: nc \(host) \(listener.localAddress.port)")
        fflush(nil)  // whoever reads this from a pipe waits for it
        try loop.run()
        listener.close()
        print(log.totals)
    }
}

/// An error that is printed as one line, and ends the program with 1.
struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
