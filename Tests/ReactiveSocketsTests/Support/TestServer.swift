// SPDX-License-Identifier: MIT
import LoopTestSupport
import ReactiveCore
import ReactiveSignals
import ReactiveSupport
import SchedulerConformance
import SchedulerEngine
import Testing

@testable import ReactiveSockets

/// A listener on a loop that the test runs turn by turn, so that nothing happens in the background.
final class TestServer {
    let loop: any LoopScheduler
    let listener: Listener
    let accepted = Recorder<Connection>()
    private var taken = 0

    init(
        _ kind: LoopKind,
        watermarks: Watermarks = Watermarks(),
        clock: any LoopClock = MonotonicClock(),
        transformer: (@Sendable () -> any ConnectionTransformer)? = nil
    ) throws {
        loop = try kind.make(clock: clock)
        listener = try Listener(on: ownLoopback(), loop: loop, watermarks: watermarks, transformer: transformer)
    }

    deinit { loop.dispose() }

    var port: UInt16 { listener.localAddress.port }

    /// Returns a connected client, and the server's end of the connection, which the server does not retain.
    func connect(receiveBuffer: Int32 = 0) throws -> (client: RawPeer, connection: Connection) {
        let client = try RawPeer(to: listener.localAddress, receiveBuffer: receiveBuffer)
        let arrived = listener.nextConnection()
        try loop.turns { arrived.value != nil }
        return (client, try #require(arrived.value))
    }

    /// Runs turns until the client has received `count` bytes, and returns them.
    func receive(_ count: Int, at client: RawPeer) throws -> [UInt8] {
        var all: [UInt8] = []
        try loop.turns {
            if case .bytes(let bytes) = client.receive() { all += bytes }
            return all.count >= count
        }
        return all
    }

    /// Runs turns until the client's stream has ended or failed.
    func receiveToEnd(at client: RawPeer) throws -> (bytes: [UInt8], end: RawPeer.Read) {
        try client.receiveToEnd { isDone in try loop.turns(until: isDone) }
    }

    /// Sends all bytes from the client, while running turns.
    func send(_ bytes: [UInt8], from client: RawPeer) throws {
        try client.sendAll(bytes) { isDone in try loop.turns(until: isDone) }
    }

    /// Closes everything. Checks that no descriptor is open and that the loop holds nothing.
    func expectNothingLeft(after clients: RawPeer..., file: StaticString = #fileID, line: UInt = #line) throws {
        let address = listener.localAddress
        listener.close()
        for client in clients { client.close() }
        try loop.turns(file: file, line: line) { OpenSockets.count(on: address) == 0 }
        try loop.expectNothingLeft(file: file, line: line)
    }
}

extension Listener {
    /// A box for the next connection, filled when it is accepted.
    func nextConnection() -> Box<Connection?> {
        let arrived = Box<Connection?>(nil)
        connections.take(1).subscribe(onValue: { arrived.value = $0 }, onTermination: noFailure())
        return arrived
    }
}

/// Random bytes: no two parts of them are alike, so a wrong position is detected.
func noise(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
    var random = SplitMix64(seed: seed)
    return random.noise(count)
}
