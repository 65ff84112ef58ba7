// SPDX-License-Identifier: MIT
import ArgumentParser
import Glibc
import Loops
import ReactiveCore
import ReactiveSignals
import ReactiveSockets
import Synchronization

/// Sends each datagram back to its sender, on the chosen loop.
@main
struct UdpEcho: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "udp-echo",
        abstract: "Sends each datagram back to its sender, on the event loop of your choice.",
        discussion: "A sender receives at most 10,000 datagrams at once, and one per second in the long run."
    )

    @Option(help: "The event loop: dispatch, libuv or libevent.")
    var loop = LoopChoice.dispatch

    @Option(help: "The IPv4 or IPv6 address to receive on. A host name is not accepted.")
    var host = "127.0.0.1"

    @Option(help: "The port to receive on, 0 to 65535. With 0 the system picks one.")
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

        // A forged datagram from the address of an echo server, even of this one, would otherwise return forever.
        let budgets = TokenBuckets<SocketAddress?>(TokenRate(1, per: .seconds(1), burst: 10_000), capacity: 1024)
        let datagrams = socket.received
            .scanMap(into: budgets) { $0.take(for: $1.peer, at: loop.now) ? $1 : nil }
            .compactMap { $0 }
            .handleEvents(onValue: { _ in count.add(1, ordering: .relaxed) })
        socket.send(from: datagrams)
        socket.errors.subscribe(onValue: { error in print("not sent: \(error)") })
        loop.processSignals(.interrupt, .terminate).subscribe(
            onValue: { _ in loop.stop() },
            onTermination: { print("process signals ended: \($0)") }
        )

        print("receiving at \(socket.localAddress), \(self.loop) loop; try: nc -u \(host) \(socket.localAddress.port)")
        fflush(nil)  // Otherwise a program that reads this from a pipe would wait.
        try loop.run()
        socket.close()
        print("echoed \(count.load(ordering: .relaxed)) datagrams")
    }
}
