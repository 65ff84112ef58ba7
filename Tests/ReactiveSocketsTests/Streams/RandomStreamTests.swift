import Glibc
import LoopTestSupport
import ReactiveCore
import ReactiveSignals
import ReactiveSupport
import SchedulerEngine
import Testing

@testable import ReactiveSockets

/// Random programs for both ends of a connection: what is sent arrives whole and in order, and every result is true.
extension Sockets {
    @Suite struct RandomStreamTests {
        private static let rounds = getenv("STREAMS").flatMap { Int(String(cString: $0)) } ?? max(1, scaled(4))
        private static let seed = getenv("SEED").flatMap { UInt64(String(cString: $0)) } ?? 1

        @Test("Both ends send, receive, pause and end at random, on two loops", arguments: LoopKind.pairs)
        func streams(_ first: LoopKind, _ second: LoopKind) throws {
            let loops = [try first.make(name: "left", thread: .owned), try second.make(name: "right", thread: .owned)]
            let listener = try Listener(on: ownLoopback(), loop: loops[0])
            let accepted = Recorder<Connection>()
            var cores: [Weak<ConnectionCore>] = []
            for round in 0..<Self.rounds {
                let seed = Self.seed &+ UInt64(round) &* 1000
                let comment = "SEED=\(seed) STREAMS=1"
                try StreamProgram(loops, listener, accepted, seed).run(comment, &cores)
            }
            try waitUntil("end of \(cores.count) connections: \(cores.count { $0.object != nil }) are left") {
                cores.allSatisfy { $0.object == nil }
            }
            listener.close()
            try waitUntil("end of the sockets") { descriptors(on: listener.localAddress) == 0 }
            for loop in loops { loop.dispose() }
        }
    }
}

/// One connection and what its two ends do.
private struct StreamProgram {
    let ends: [StreamEnd]
    private let random: Box<Random>

    init(_ loops: [any LoopScheduler], _ listener: Listener, _ accepted: Recorder<Connection>, _ seed: UInt64) throws {
        let arrived = Box<Connection?>(nil)
        let subscription = SignalSubscription()
        listener.connections.subscribe(
            in: subscription,
            onValue: { connection in
                arrived.value = connection
                subscription.dispose()
            }
        )
        let random = Box(Random(seed))
        let marks = Watermarks(high: [1, 1000, 65536].randomElement(using: &random.value) ?? 1)
        let settings = ConnectSettings(watermarks: marks)
        let made = Box<Connection?>(nil)
        Connection.connect(to: listener.localAddress, loop: loops[1], settings: settings)
            .subscribe(onValue: { made.value = $0 })
        try waitUntil("a connection") { arrived.value != nil && made.value != nil }
        guard let left = arrived.value.take(), let right = made.value.take() else {
            preconditionFailure("no connection")
        }
        ends = [StreamEnd(left), StreamEnd(right)]
        self.random = random
    }

    func run(_ comment: String, _ cores: inout [Weak<ConnectionCore>]) throws {
        // A program that disturbs nothing has to get everything across.
        let isGentle = random.value.chance(0.5)
        cores += ends.map { Weak($0.connection.core.value) }
        for end in ends {
            end.loop.execute { end.begin() }
        }
        let threads = ends.flatMap { end in
            (0..<2).map { number in
                let random = Random(random.value.next())
                return TestThread { end.act(number, isGentle, random) }
            }
        }
        for thread in threads { try thread.join() }
        for end in ends { end.wrapUp(isGentle || random.value.chance(0.5)) }
        let limit = ContinuousClock.now + .seconds(60)
        while !ends.allSatisfy({ $0.isOver }) {
            if ContinuousClock.now > limit {
                Issue.record("\(comment): not over: \(ends.map(\.report))")
                for end in ends { end.connection.abort() }
                return
            }
            pace(microseconds: 200)
        }
        for (sender, receiver) in [(ends[0], ends[1]), (ends[1], ends[0])] {
            receiver.check(sender, isGentle, comment)
        }
    }
}

/// What one end sends and has received.
private final class StreamEnd: Sendable {
    let connection: Connection
    let loop: any LoopScheduler
    private let ended = Log<Never, SocketError>()
    private let stream = Log<Never, Never>()
    private let state = Lock(State())

    struct State {
        var sends: [SendKey: Log<Never, SocketError>] = [:]
        var buffer: [UInt8] = []
        var received: Set<SendKey> = []
        var next: [UInt8: UInt32] = [:]
        var ends: [Termination<SocketError>] = []
        var faults: [String] = []
        var reception: SignalSubscription?
        var holds: [any Disposable] = []
        var sources: [Log<Never, SocketError>] = []
        var isPausedHere = false
    }

    struct SendKey: Hashable {
        let sender: UInt8
        let number: UInt32
    }

    init(_ connection: Connection) {
        self.connection = connection
        loop = connection.loop
    }

    var isOver: Bool {
        guard ended.hasEnded, stream.hasEnded else { return false }
        return state.withLock {
            $0.sends.values.allSatisfy(\.hasEnded) && $0.sources.allSatisfy(\.hasEnded) && !$0.ends.isEmpty
        }
    }

    var report: String {
        let core = connection.core.value
        return state.withLock { state in
            """
            ended \(ended.ends) stream \(stream.ends) sends \(state.sends.values.count { !$0.hasEnded }) of \
            \(state.sends.count) sources \(state.sources.map(\.ends)) received \(state.ends) pending \(core.pendingCount) \
            blocked \(core.isBlocked) open \(core.isOpen) finished \(core.hasFinished) end \(core.hasReachedEnd) \
            reader \(core.subscription.map { "\($0.isPaused)" } ?? "none")
            """
        }
    }

    // MARK: Doing

    func begin() {
        connection.ended.log(into: ended)
        connection.endOfStream.log(into: stream)
        receive()
    }

    /// On the loop.
    private func receive() {
        let subscription = SignalSubscription()
        state.withLock { state in
            state.reception = subscription
            state.isPausedHere = false
        }
        connection.received.subscribe(
            in: subscription,
            onValue: { [self] bytes in take(bytes) },
            onTermination: { [self] end in state.withLock { $0.ends.append(end) } }
        )
    }

    private func take(_ bytes: Bytes) {
        state.withLock { state in
            if state.isPausedHere { state.faults.append("\(bytes.count) bytes while paused") }
            state.buffer += bytes
            var start = 0
            while state.buffer.count - start >= 9 {
                let header = Bytes(state.buffer[start..<start + 9])
                let (number, count) = (
                    header.integer(at: 1, as: UInt32.self) ?? 0, Int(header.integer(at: 5, as: UInt32.self) ?? 0)
                )
                guard state.buffer.count - start >= 9 + count else { break }
                let key = SendKey(sender: header[0], number: number)
                if Array(state.buffer[start + 9..<start + 9 + count]) != Self.payload(key, count) {
                    state.faults.append("wrong bytes in \(key) of \(count)")
                }
                let expected = state.next[key.sender, default: 0]
                if number != expected { state.faults.append("\(key) instead of number \(expected)") }
                state.next[key.sender] = number + 1
                state.received.insert(key)
                start += 9 + count
            }
            state.buffer.removeFirst(start)
        }
    }

    private static func payload(_ key: SendKey, _ count: Int) -> [UInt8] {
        noise(count, seed: UInt64(key.sender) << 32 | UInt64(key.number) + 1)
    }

    private func record(_ key: SendKey, _ count: Int) -> Bytes {
        let number = Bytes(key.number)
        return Bytes(joining: [Bytes([key.sender]), number, Bytes(UInt32(count)), Bytes(Self.payload(key, count))])
    }

    private func send(_ sender: UInt8, _ number: UInt32, _ count: Int) {
        let key = SendKey(sender: sender, number: number)
        let log = connection.send(record(key, count)).log()
        state.withLock { $0.sends[key] = log }
    }

    func act(_ thread: Int, _ isGentle: Bool, _ random: Random) {
        var random = random
        var (numbers, senders) = ([UInt32](repeating: 0, count: 256), UInt8(thread * 100))
        let steps = random.below(60)
        for _ in 0..<steps {
            // From this thread and from the loop: each is a sender of its own.
            let isHere = random.chance(0.5)
            let sender = UInt8(thread * 100 + (isHere ? 1 : 2))
            let perform: @Sendable (@escaping @Sendable () -> Void) -> Void = { [loop] step in
                if isHere { step() } else { loop.execute(step) }
            }
            switch random.below(isGentle ? 9 : 14) {
            case 0, 1:
                let count = [random.below(100), 1000, 16374, 16375, 16376, 65536, 300_000][random.below(7)]
                let number = numbers[Int(sender)]
                numbers[Int(sender)] += 1
                perform { [self] in send(sender, number, count) }
            case 2:
                let start = numbers[Int(sender)]
                let burst = UInt32(random.below(40))
                numbers[Int(sender)] += burst
                perform { [self] in for number in start..<start + burst { send(sender, number, 30) } }
            case 3: loop.execute { [self] in pause() }
            case 4, 5: resume()
            case 6: if random.chance(0.3) { loop.execute { [self] in receiveAnew() } }
            case 7:
                senders += 10
                if senders % 100 < 90, !isGentle {
                    sendSource(senders, random.below(20), here: isHere)
                }
            case 8: pace(microseconds: random.below(2000))
            case 9: if random.chance(0.1) { connection.finishSending() }
            case 10: if random.chance(0.1) { connection.close() }
            case 11: if random.chance(0.1) { connection.close(within: .milliseconds(random.below(20))) }
            case 12: if random.chance(0.05) { connection.abort() }
            default: if random.chance(0.1) { connection.setTimeouts(ConnectionTimeouts(idle: .milliseconds(20))) }
            }
        }
    }

    private func pause() {
        let reception = state.withLock { state in
            state.isPausedHere = true
            return state.reception
        }
        if let hold = reception?.pause() { state.withLock { $0.holds.append(hold) } }
    }

    private func resume() {
        let holds = state.withLock { state in
            state.isPausedHere = false
            defer { state.holds = [] }
            return state.holds
        }
        for hold in holds { hold.dispose() }
    }

    /// On the loop, where no chunk is on its way to who is disposed.
    private func receiveAnew() {
        guard state.withLock({ $0.ends.isEmpty }) else { return }
        state.withLock { $0.reception }?.dispose()
        receive()
    }

    /// A source that ends sending when it completes.
    private func sendSource(_ sender: UInt8, _ count: Int, here: Bool) {
        let source = Subject<Bytes, Never>()
        let log = connection.send(from: source.signal).log()
        state.withLock { $0.sources.append(log) }
        for number in 0..<UInt32(count) { source.send(record(SendKey(sender: sender, number: number), 500)) }
        source.complete()
    }

    func wrapUp(_ gracefully: Bool) {
        resume()
        // A pause that was posted by the last step comes behind this.
        loop.execute { [self] in
            resume()
            if state.withLock({ $0.reception?.isDisposed == true && $0.ends.isEmpty }) { receive() }
        }
        if gracefully { connection.finishSending() } else { connection.close() }
    }

    // MARK: Checking

    func check(_ sender: StreamEnd, _ isGentle: Bool, _ comment: String) {
        let (mine, theirs) = (state.withLock { $0 }, sender.state.withLock { $0 })
        #expect(mine.faults.isEmpty, "\(comment): \(mine.faults)")
        #expect(mine.ends.count == 1 && ended.ends.count == 1 && stream.ends.count == 1, "\(comment): \(report)")
        let hasAll = mine.ends.first == .completed
        if isGentle { #expect(hasAll && ended.isCompleted, "\(comment): \(report)") }
        for (key, log) in theirs.sends {
            #expect(log.ends.count == 1, "\(comment): \(key) has ended \(log.ends.count) times")
            // What the kernel did not take cannot have come; what it took comes, where the stream ends in order.
            if log.isCompleted, hasAll { #expect(mine.received.contains(key), "\(comment): \(key) is lost") }
            if !log.isCompleted {
                #expect(!mine.received.contains(key), "\(comment): \(key) has failed, and come: \(log.ends)")
            }
        }
        if hasAll { #expect(mine.buffer.isEmpty, "\(comment): a part of \(mine.buffer.count) bytes, then the end") }
    }
}

private struct Random: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed &* 0x9e37_79b9_7f4a_7c15 | 1 }

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state &* 0x2545_f491_4f6c_dd1d
    }

    mutating func below(_ limit: Int) -> Int { Int(next() >> 33) % limit }

    mutating func chance(_ probability: Double) -> Bool { Double(below(1 << 20)) < probability * Double(1 << 20) }
}
