import ReactiveCore
import ReactiveSignals
import ReactiveSockets

/// A listener on a loop that the check itself runs, turn by turn: nothing happens behind its back.
struct SocketBench {
    let check: Check
    let loop: any LoopScheduler
    let listener: Listener

    init(_ check: Check, _ loop: any LoopScheduler, watermarks: Watermarks = Watermarks()) throws {
        self.check = check
        self.loop = loop
        listener = try Listener(on: .loopback(port: 0), loop: loop, watermarks: watermarks)
        check.note("listens on \(listener.localAddress)")
    }

    /// A client, and this side's end of its connection.
    func connect(receiveBuffer: Int32 = 0) throws -> (client: RawPeer, connection: Connection) {
        let client = try RawPeer(to: listener.localAddress, receiveBuffer: receiveBuffer)
        let arrived = Box<Connection?>(nil)
        listener.connections.take(1).subscribe(onValue: { arrived.value = $0 })
        try check.turns(loop, until: "a peer is accepted") { arrived.value != nil }
        guard let connection = arrived.value else { throw Broken("a connection", "none") }
        return (client, connection)
    }

    /// Takes turns until the client has got `count` bytes, which it returns.
    func receive(_ count: Int, at client: RawPeer) throws -> [UInt8] {
        var all: [UInt8] = []
        try check.turns(loop, until: "the client has \(count) bytes") {
            if case .bytes(let bytes) = client.receive() { all += bytes }
            return all.count >= count
        }
        return all
    }

    /// Takes turns until the client's stream has ended or broken off.
    func receiveToEnd(at client: RawPeer) throws -> (bytes: [UInt8], end: RawPeer.Read) {
        var all: [UInt8] = []
        var end = RawPeer.Read.nothing
        try check.turns(loop, until: "the client's stream has ended") {
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
    func send(_ bytes: [UInt8], from client: RawPeer) throws {
        var sent = 0
        try check.turns(loop, until: "the client has sent \(bytes.count) bytes") {
            sent += client.send(bytes[sent...])
            return sent == bytes.count
        }
    }

    /// Ends the listener, and looks whether a descriptor of this bench is left; clients have to be closed before.
    func end() {
        let port = listener.localAddress.port
        listener.close()
        do {
            try check.turns(loop, until: "no socket is left") { RawPeer.descriptors(on: port).isEmpty }
        } catch {
            for descriptor in RawPeer.descriptors(on: port) {
                check.note("left: \(RawPeer.description(of: descriptor))")
            }
            check.broken(by: error)
        }
    }
}

/// What a subscription has heard.
final class Log<Value: Sendable, Failure: Error>: Sendable {
    private let recorded: Recorder<Value>
    private let ended: Recorder<Termination<Failure>>
    let subscription = SignalSubscription()

    init(file: StaticString = #fileID, line: Int = #line) {
        recorded = Recorder(file: file, line: line)
        ended = Recorder(file: file, line: line)
    }

    var values: [Value] { recorded.values }
    var ends: [Termination<Failure>] { ended.values }
    var hasEnded: Bool { ended.count > 0 }

    func take(_ value: Value) { recorded.append(value) }

    func take(end: Termination<Failure>) { ended.append(end) }
}

extension Log where Value == Bytes {
    var bytes: [UInt8] { values.flatMap { Array($0) } }
}

extension Log where Failure == SocketError {
    var isCompleted: Bool {
        if ends.count == 1, case .completed? = ends.first { true } else { false }
    }

    var code: SocketError.Code? {
        guard ends.count == 1, case .failed(let error)? = ends.first else { return nil }
        return error.code
    }
}

extension Signal {
    /// Subscribes, and remembers everything.
    func log(file: StaticString = #fileID, line: Int = #line) -> Log<Value, Failure> {
        let log = Log<Value, Failure>(file: file, line: line)
        subscribe(in: log.subscription, onValue: { log.take($0) }, onTermination: { log.take(end: $0) })
        return log
    }
}

extension SeededGenerator {
    /// Bytes that tell where they come from: no two neighbourhoods are alike.
    mutating func noise(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + 8)
        while bytes.count < count {
            let next = next()
            for shift in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: next >> (8 * shift))) }
        }
        bytes.removeLast(bytes.count - count)
        return bytes
    }
}

extension Check {
    /// Bytes of this run's seed.
    func noise(_ count: Int) -> [UInt8] {
        var random = random()
        return random.noise(count)
    }
}
