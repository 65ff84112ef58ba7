// SPDX-License-Identifier: MIT
import LoopTestSupport
import ReactiveCore
import ReactiveSignals
import ReactiveSockets
import ReactiveSupport
import SchedulerConformance
import Testing

@testable import RequestReply

/// The protocol of Docs/WritingAProtocol.md, on each loop.
@Suite struct RequestReplyTests {
    /// A server and clients on one loop.
    private final class Bench {
        let loop: any LoopScheduler
        let server: Server

        init(_ kind: LoopKind, concurrency: Int = 16, answer: @escaping @Sendable (Bytes) -> Signal<Bytes, Refusal>)
            throws
        {
            loop = try kind.make()
            let service = RequestService(concurrency: concurrency, answer: answer)
            server = try Server(on: ownLoopback(), loops: LoopGroup(loop)) { service.serve($0) }
        }

        deinit { loop.dispose() }

        func connect() throws -> Connection {
            let log = Connection.connect(to: server.localAddress, loop: loop).log()
            try loop.turns { log.values.count == 1 }
            return log.values[0]
        }
    }

    @Test("Replies belong to their requests, in whatever order they arrive", arguments: LoopKind.all)
    func order(_ kind: LoopKind) throws {
        let gates = Recorder<(Bytes, Subject<Bytes, Refusal>)>()
        let bench = try Bench(kind, concurrency: 200) { payload in
            let gate = Subject<Bytes, Refusal>()
            gates.append((payload, gate))
            return gate.signal
        }
        let client = RequestClient(try bench.connect())
        let logs = (0..<100).map { number in client.request("\(number)").log() }
        try bench.loop.turns { gates.values.count == 100 }
        var random = SplitMix64(seed: 44)
        for (payload, gate) in gates.values.shuffled(using: &random) { gate.send("reply \(payload)") }
        try bench.loop.turns { logs.allSatisfy(\.hasEnded) }
        for (number, log) in logs.enumerated() {
            #expect(log.values == ["reply \(number)"] && log.hasEnded && log.failure == nil)
        }
    }

    @Test("A service refuses, sends nothing, or sends too much: each request ends", arguments: LoopKind.all)
    func refusals(_ kind: LoopKind) throws {
        let bench = try Bench(kind) { payload in
            switch payload {
            case "refuse": .fail(Refusal("no"))
            case "nothing": .empty
            case "long": .just(Bytes([UInt8](repeating: 0, count: Message.payloadLimit + 1)))
            case "two": Signal(values: ["first", "second"])
            default: .just(payload)
            }
        }
        let client = RequestClient(try bench.connect())
        let payloads: [Bytes] = ["refuse", "nothing", "long", "two", "", "rest"]
        let logs = payloads.map { payload in client.request(payload).log() }
        try bench.loop.turns { logs.allSatisfy(\.hasEnded) }
        #expect(logs[0].failure == .refused("no"))
        #expect(logs[1].failure == .refused("the service has sent no reply"))
        #expect(logs[2].failure == .refused("the reply is too long"))
        #expect(logs[3...].map(\.values) == [["first"], [""], ["rest"]])
    }

    @Test("A client does not send what is too long, or too many requests", arguments: LoopKind.all)
    func limits(_ kind: LoopKind) throws {
        let bench = try Bench(kind) { _ in .never }
        let client = RequestClient(try bench.connect(), limit: 3)
        let long = client.request(Bytes([UInt8](repeating: 0, count: Message.payloadLimit + 1))).log()
        #expect(long.failure == .notSent("a payload has at most \(Message.payloadLimit) bytes"))
        let logs = (0..<4).map { _ in client.request("x").log() }
        #expect(logs[3].failure == .notSent("3 requests are under way") && !logs[0].hasEnded)
        // A subscriber that leaves makes room, and its reply is ignored.
        logs[0].subscription.dispose()
        let next = client.request("y").log()
        try bench.loop.turns(5)
        #expect(!next.hasEnded && logs[0].ends.isEmpty)
    }

    @Test(
        "Requests fail when the server leaves, the client is released, or the loop is disposed",
        arguments: LoopKind.all
    )
    func endings(_ kind: LoopKind) throws {
        for way in 0..<3 {
            let bench = try Bench(kind) { _ in .never }
            var client: RequestClient? = RequestClient(try bench.connect())
            let other = RequestClient(try bench.connect())
            let logs = try (0..<3).map { _ in try #require(client).request("x").log() }
            try bench.loop.turns(3)
            switch way {
            case 0: bench.server.drain(within: .zero)
            case 1: client = nil
            default: bench.loop.dispose()
            }
            if way < 2 { try bench.loop.turns { logs.allSatisfy(\.hasEnded) } }
            for log in logs {
                guard case .ended? = log.failure else {
                    Issue.record("way \(way): \(String(describing: log.failure))")
                    continue
                }
            }
            let late = (way == 1 ? other : client ?? other).request("late").log()
            #expect(late.hasEnded == (way != 1))
        }
    }

    @Test("A client that does not read pauses the service", arguments: LoopKind.all)
    func backPressure(_ kind: LoopKind) throws {
        let begun = Box(0)
        let payload = Bytes([UInt8](repeating: 7, count: 256 * 1024))
        let bench = try Bench(kind) { _ in
            begun.increment()
            return .just(payload)
        }
        let connection = try bench.connect()
        for number in 0..<1000 { connection.send(try Message(.request, UInt32(number), "x").encoded()) }
        try bench.loop.turns(200)
        let reached = begun.value
        try bench.loop.turns(200)
        #expect(reached < 200 && begun.value == reached)
        let replies = connection.messages.log()
        try bench.loop.turns { replies.values.count == 1000 }
        #expect(replies.values.map(\.number) == Array(0..<1000))
    }

    @Test(
        "Random bytes end a connection, and never the server or the client's process",
        arguments: LoopKind.all,
        1...20
    )
    func fuzz(_ kind: LoopKind, _ seed: Int) throws {
        var random = SplitMix64(seed: UInt64(seed))
        let bench = try Bench(kind, answer: { payload in .just(payload) })
        // To the server.
        let raw = try bench.connect()
        let received = raw.received.log()
        for _ in 0..<20 { raw.send(Self.noise(&random)) }
        raw.finishSending()
        try bench.loop.turns { received.hasEnded }
        let client = RequestClient(try bench.connect())
        let log = client.request("still here").log()
        try bench.loop.turns { log.hasEnded }
        #expect(log.values == ["still here"])
        // To a client.
        let listener = try Listener(on: ownLoopback(), loop: bench.loop)
        let accepted = listener.connections.log()
        let made = Connection.connect(to: listener.localAddress, loop: bench.loop).log()
        try bench.loop.turns { made.values.count == 1 && accepted.values.count == 1 }
        let victim = RequestClient(made.values[0])
        let logs = (0..<5).map { _ in victim.request("x").log() }
        for _ in 0..<20 { accepted.values[0].send(Self.noise(&random)) }
        accepted.values[0].finishSending()
        try bench.loop.turns { logs.allSatisfy(\.hasEnded) }
    }

    /// A frame that is valid, cut, or random.
    private static func noise(_ random: inout SplitMix64) -> Bytes {
        let bytes = (0..<Int.random(in: 0...40, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
        let kind = UInt8.random(in: 0...4, using: &random)
        let number = UInt32.random(in: 0...6, using: &random)
        let body = Bytes(joining: [Bytes(kind), Bytes(number), Bytes(bytes)])
        switch Int.random(in: 0..<4, using: &random) {
        case 0: return Bytes(bytes)
        case 1: return Bytes(joining: [Bytes(UInt32.random(in: 0...50, using: &random)), body])
        default: return Bytes(joining: [Bytes(UInt32(body.count)), body])
        }
    }
}
