// SPDX-License-Identifier: MIT
import LoopTestSupport
import ReactiveCore
import ReactiveSignals
import ReactiveSupport
import SchedulerConformance
import SchedulerEngine
import Testing

@testable import ReactiveSockets

/// One end of a connection: what it sends and what it has received.
final class StreamEnd: Sendable {
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
        var pauses: [any Disposable] = []
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
            \(state.sends.count) sources \(state.sources.map(\.ends)) received \(state.ends) \
            \(core.sending) \(core.receiving) open \(core.isOpen) \
            reader \(core.subscription.map { "\($0.isPaused)" } ?? "none")
            """
        }
    }

    // MARK: Operations

    func begin() {
        connection.ended.log(into: ended)
        connection.endOfStream.log(into: stream)
        receive()
    }

    /// Called on the loop.
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

    func act(_ thread: Int, _ isGentle: Bool, _ random: SplitMix64) {
        var random = random
        var (numbers, senders) = ([UInt32](repeating: 0, count: 256), UInt8(thread * 100))
        let steps = random.below(60)
        for _ in 0..<steps {
            // This thread and the loop are separate senders.
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
            case 8: Platform.pause(.microseconds(random.below(2000)))
            case 9: if random.chance(0.1) { connection.finishSending() }
            case 10: if random.chance(0.1) { connection.close() }
            case 11: if random.chance(0.1) { connection.close(within: .milliseconds(random.below(20))) }
            case 12: if random.chance(0.05) { connection.abort() }
            default: if random.chance(0.1) { connection.setTimeouts(Self.timeouts(random.below(3))) }
            }
        }
    }

    private static func timeouts(_ kind: Int) -> ConnectionTimeouts {
        let limit = Duration.milliseconds(20)
        switch kind {
        case 0: return ConnectionTimeouts(idle: limit)
        case 1: return ConnectionTimeouts(readStalled: limit)
        default: return ConnectionTimeouts(writeStalled: limit)
        }
    }

    private func pause() {
        let reception = state.withLock { state in
            state.isPausedHere = true
            return state.reception
        }
        if let pause = reception?.pause() { state.withLock { $0.pauses.append(pause) } }
    }

    private func resume() {
        let pauses = state.withLock { state in
            state.isPausedHere = false
            defer { state.pauses = [] }
            return state.pauses
        }
        for hold in pauses { hold.dispose() }
    }

    /// Called on the loop, while no chunk is being delivered to the disposed receiver.
    private func receiveAnew() {
        guard state.withLock({ $0.ends.isEmpty }) else { return }
        state.withLock { $0.reception }?.dispose()
        receive()
    }

    /// Sends from a source whose completion ends the stream.
    private func sendSource(_ sender: UInt8, _ count: Int, here: Bool) {
        let source = Subject<Bytes, Never>()
        let log = connection.send(from: source.signal).log()
        state.withLock { $0.sources.append(log) }
        for number in 0..<UInt32(count) { source.send(record(SendKey(sender: sender, number: number), 500)) }
        source.complete()
    }

    func wrapUp(_ gracefully: Bool) {
        resume()
        // A pause posted by the last step runs before this.
        loop.execute { [self] in
            resume()
            if state.withLock({ $0.reception?.isDisposed == true && $0.ends.isEmpty }) { receive() }
        }
        if gracefully { connection.finishSending() } else { connection.close() }
    }

    // MARK: Checks

    func check(_ sender: StreamEnd, _ isGentle: Bool, _ comment: String) {
        let (mine, theirs) = (state.withLock { $0 }, sender.state.withLock { $0 })
        #expect(mine.faults.isEmpty, "\(comment): \(mine.faults)")
        #expect(mine.ends.count == 1 && ended.ends.count == 1 && stream.ends.count == 1, "\(comment): \(report)")
        let hasAll = mine.ends.first == .completed
        if isGentle { #expect(hasAll && ended.isCompleted, "\(comment): \(report)") }
        for (key, log) in theirs.sends {
            #expect(log.ends.count == 1, "\(comment): \(key) has ended \(log.ends.count) times")
            // Bytes that the kernel did not take cannot have arrived. Bytes that it took arrive if the stream ends in
            // order.
            if log.isCompleted, hasAll { #expect(mine.received.contains(key), "\(comment): \(key) is lost") }
            if !log.isCompleted {
                #expect(!mine.received.contains(key), "\(comment): \(key) has failed, and come: \(log.ends)")
            }
        }
        if hasAll { #expect(mine.buffer.isEmpty, "\(comment): a part of \(mine.buffer.count) bytes, then the end") }
    }
}
