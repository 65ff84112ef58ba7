import ArgumentParser
import Glibc
import Loops
import ReactiveCore
import ReactiveSignals
import ReactiveSockets
import Synchronization

/// Sends every datagram back to who sent it, on whichever loop is chosen.
@main
struct UdpEcho: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "udp-echo",
        abstract: "Sends every datagram back to who sent it, on whichever event loop is chosen."
    )

    @Option(help: "The event loop: dispatch, libuv or libevent.")
    var loop = LoopChoice.dispatch

    @Option(help: "The address to receive at: IPv4 or IPv6, not a name.")
    var host = "127.0.0.1"

    @Option(help: "The port to receive at, 0 to 65535; 0 lets the system pick one.")
    var port = 7000

    func validate() throws {
        do {
            _ = try SocketAddress(host: host, port: port)
        } catch {
            throw ValidationError("\(error)")
        }
    }

    func run() throws {
        try Failure.reporting { try echo() }
    }

    private func echo() throws {
        let loop = try self.loop.main()
        let socket = try DatagramSocket(on: SocketAddress(host: host, port: port), loop: loop)
        let count = Atomic<Int>(0)

        let datagrams = socket.received.handleEvents(onValue: { _ in count.add(1, ordering: .relaxed) })
        socket.send(from: datagrams)
        socket.errors.subscribe(onValue: { error in print("not sent: \(error)") })
        loop.processSignals(.interrupt, .terminate).subscribe(onValue: { _ in loop.stop() })

        print("receiving at \(socket.localAddress), \(self.loop) loop; try: nc -u \(host) \(socket.localAddress.port)")
        fflush(nil)  // whoever reads this from a pipe waits for it
        try loop.run()
        socket.close()
        print("echoed \(count.load(ordering: .relaxed)) datagrams")
    }
}
