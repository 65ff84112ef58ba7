// SPDX-License-Identifier: MIT
package import ReactiveCore
import ReactiveSignals
package import ReactiveSockets

/// A listener on a loop that the check itself runs, turn by turn.
package struct SocketBench {
    package let check: Check
    package let loop: any LoopScheduler
    package let listener: Listener
    private let clients = Recorder<RawPeer>()

    package init(
        _ check: Check,
        _ loop: any LoopScheduler,
        watermarks: Watermarks = Watermarks(),
        options: [SocketSetting] = [],
        transformer: (@Sendable () -> any ConnectionTransformer)? = nil
    ) throws {
        self.check = check
        self.loop = loop
        listener = try Listener(
            on: .loopback(port: 0),
            loop: loop,
            options: options,
            watermarks: watermarks,
            transformer: transformer
        )
        check.note("listens on \(listener.localAddress)")
    }

    /// Connects a client, which ``end()`` closes at the latest. Returns the client and the accepted connection.
    package func connect(receiveBuffer: Int32 = 0) throws -> (client: RawPeer, connection: Connection) {
        let client = try RawPeer(to: listener.localAddress, receiveBuffer: receiveBuffer)
        clients.append(client)
        return (client, try accept())
    }

    /// Accepts the next connection.
    package func accept() throws -> Connection {
        let arrived = Box<Connection?>(nil)
        listener.connections.take(1).subscribe(
            onValue: { arrived.value = $0 },
            onTermination: check.noFailure(of: "the listener")
        )
        try check.turns(loop, until: "a peer is accepted") { arrived.value != nil }
        guard let connection = arrived.value else { throw Broken("a connection", "none") }
        return connection
    }

    /// Runs turns until the client has received `count` bytes, and returns the bytes.
    package func receive(_ count: Int, at client: RawPeer) throws -> [UInt8] {
        var all: [UInt8] = []
        try check.turns(loop, until: "the client has received \(count) bytes") {
            if case .bytes(let bytes) = client.receive() { all += bytes }
            return all.count >= count
        }
        return all
    }

    /// Runs turns until the client's stream has ended or been reset.
    package func receiveToEnd(at client: RawPeer) throws -> (bytes: [UInt8], end: RawPeer.Read) {
        try client.receiveToEnd { isDone in
            try check.turns(loop, until: "the client's stream has ended", isDone)
        }
    }

    /// Runs turns until the client's stream has been reset. Fails if it ends in another way.
    func expectReset(of client: RawPeer, _ expected: String) throws {
        guard case .failed = try receiveToEnd(at: client).end else {
            throw Broken(expected, "its stream ended without a reset")
        }
    }

    /// Sends all bytes from the client while it runs turns.
    package func send(_ bytes: some Collection<UInt8>, from client: RawPeer) throws {
        let bytes = Array(bytes)
        try client.sendAll(bytes) { isDone in
            try check.turns(loop, until: "the client has sent \(bytes.count) bytes", isDone)
        }
    }

    /// Closes the connected clients and the listener, and checks that this bench has no open descriptor.
    package func end() {
        for client in clients.values { client.close() }
        let address = listener.localAddress
        listener.close()
        do {
            try check.turns(loop, until: "no socket of the listener is open") { OpenSockets.count(on: address) == 0 }
        } catch {
            for socket in OpenSockets.descriptions(on: address) { check.note("still open: \(socket)") }
            check.broken(by: error)
        }
    }
}
