import LoopTestSupport
import ReactiveCore
import ReactiveSignals
import ReactiveSupport
import Testing

@testable import ReactiveSockets

/// A listener on a loop that the test itself runs, turn by turn: nothing happens behind its back.
final class TestServer {
    let loop: any LoopScheduler
    let listener: Listener
    let accepted = Recorder<Connection>()
    private var taken = 0

    init(_ kind: LoopKind, watermarks: Watermarks = Watermarks()) throws {
        loop = try kind.make()
        listener = try Listener(on: ownLoopback(), loop: loop, watermarks: watermarks)
    }

    deinit { loop.dispose() }

    var port: UInt16 { listener.localAddress.port }

    /// A client, and this side's end of its connection. The server does not keep it.
    func connect(receiveBuffer: Int32 = 0) throws -> (client: RawClient, connection: Connection) {
        let client = RawClient(to: listener.localAddress, receiveBuffer: receiveBuffer)
        let arrived = listener.nextConnection()
        try loop.turns { arrived.value != nil }
        return (client, try #require(arrived.value))
    }

    /// Takes turns until the client has got `count` bytes, which it returns.
    func receive(_ count: Int, at client: RawClient) throws -> [UInt8] {
        var all: [UInt8] = []
        try loop.turns {
            if case .bytes(let bytes) = client.receive() { all += bytes }
            return all.count >= count
        }
        return all
    }

    /// Takes turns until the client's stream has ended or broken off.
    func receiveToEnd(at client: RawClient) throws -> (bytes: [UInt8], end: RawClient.Read) {
        var all: [UInt8] = []
        var end = RawClient.Read.nothing
        try loop.turns {
            end = client.receive()
            if case .bytes(let bytes) = end { all += bytes }
            switch end {
            case .bytes, .nothing: return false
            case .end, .failed: return true
            }
        }
        return (all, end)
    }

    /// Sends all of it from the client, taking turns.
    func send(_ bytes: [UInt8], from client: RawClient) throws {
        var sent = 0
        try loop.turns {
            sent += client.send(bytes[sent...])
            return sent == bytes.count
        }
    }

    /// Ends everything and looks whether a descriptor is left.
    func expectNothingLeft(after clients: RawClient..., sourceLocation: SourceLocation = #_sourceLocation) throws {
        let address = listener.localAddress
        listener.close()
        for client in clients { client.close() }
        try loop.turns { descriptors(on: address) == 0 }
    }
}

/// What a subscription has heard.
final class Log<Value: Sendable, Failure: Error>: Sendable {
    private let state = Lock<(values: [Value], ends: [Termination<Failure>])>(([], []))
    let subscription = SignalSubscription()

    var values: [Value] { state.withLock { $0.values } }
    var ends: [Termination<Failure>] { state.withLock { $0.ends } }
    var hasEnded: Bool { !ends.isEmpty }

    func take(_ value: Value) { state.withLock { $0.values.append(value) } }

    func take(end: Termination<Failure>) { state.withLock { $0.ends.append(end) } }
}

extension Log where Value == Bytes {
    var bytes: [UInt8] { values.flatMap { Array($0) } }
}

extension Log where Failure == SocketError {
    var isCompleted: Bool { ends == [.completed] }

    var code: SocketError.Code? {
        guard ends.count == 1, case .failed(let error)? = ends.first else { return nil }
        return error.code
    }
}

extension Signal {
    /// Subscribes, and remembers everything.
    func log() -> Log<Value, Failure> {
        let log = Log<Value, Failure>()
        self.log(into: log)
        return log
    }

    func log(into log: Log<Value, Failure>) {
        subscribe(in: log.subscription, onValue: { log.take($0) }, onTermination: { log.take(end: $0) })
    }
}

extension Listener {
    /// The next connection, when it has come.
    func nextConnection() -> Box<Connection?> {
        let arrived = Box<Connection?>(nil)
        connections.take(1).subscribe(onValue: { arrived.value = $0 })
        return arrived
    }
}

/// Bytes that tell where they come from: no two neighbourhoods are alike.
func noise(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
    var state = seed &* 0x9e37_79b9_7f4a_7c15 | 1
    let piece = (0..<4093).map { _ in
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return UInt8(truncatingIfNeeded: state)
    }
    var all: [UInt8] = []
    all.reserveCapacity(count + piece.count)
    while all.count < count {
        // No two pieces begin alike.
        let number = UInt32(all.count)
        all += piece
        for index in 0..<4 { all[all.count - piece.count + index] = UInt8(truncatingIfNeeded: number >> (8 * index)) }
    }
    all.removeLast(all.count - count)
    return all
}
