// SPDX-License-Identifier: MIT
import Reactive
import ReactiveSimulation
import SchedulerEngine
import Synchronization

/// A chat room in one process. Each member receives the lines of the others, in the order in which the room received
/// them. A slow member loses its oldest lines, and does not delay the others.
enum ChatScenario: Scenario {
    static let name = "Chat"
    static let bugs: [ServiceBug] = [.forgottenLeave, .slowMemberBlocksRoom, .unboundedQueue]

    private static let members = 4
    private static let lines = 40
    private static let calm = Duration.seconds(40)
    /// The most lines that wait for one member.
    private static let queueLimit = 16
    private static let padding = Bytes(Array(repeating: 120, count: 20_000))
    /// The slow member reads nothing before this time.
    private static let slowness = calm + .seconds(20)

    private struct Tally {
        var received: [Int: [String]] = [:]
        var sent: [String: Duration] = [:]
        var wrong: [String] = []
        var bytesOfSlowMember = 0
    }

    /// The members and their queues.
    private final class Room: Sendable {
        private struct Member {
            let connection: Connection
            let lines: Subject<String, Never>
        }

        private struct State {
            var members: [Int: Member] = [:]
            var next = 0
            /// Lines that wait for a slow member.
            var waiting: [(line: String, sender: Int)] = []
        }

        private let state = Mutex(State())
        private let bug: ServiceBug?

        init(_ bug: ServiceBug?) { self.bug = bug }

        var count: Int { state.withLock { $0.members.count } }

        func join(_ connection: Connection) -> (number: Int, lines: Subject<String, Never>) {
            let lines = Subject<String, Never>()
            let number = state.withLock { state in
                state.next += 1
                state.members[state.next] = Member(connection: connection, lines: lines)
                return state.next
            }
            if bug == .slowMemberBlocksRoom {
                connection.isWritable.signal.subscribe(onValue: { [self] isWritable in if isWritable { sendWaiting() } }
                )
            }
            return (number, lines)
        }

        func leave(_ number: Int) {
            let member = state.withLock { $0.members.removeValue(forKey: number) }
            member?.lines.complete()
            if bug == .slowMemberBlocksRoom { sendWaiting() }
        }

        func send(_ line: String, from sender: Int) {
            guard bug == .slowMemberBlocksRoom else { return deliver(line, from: sender) }
            state.withLock { $0.waiting.append((line, sender)) }
            sendWaiting()
        }

        private func sendWaiting() {
            while true {
                let members = state.withLock { Array($0.members.values) }
                guard members.allSatisfy({ $0.connection.isWritable.value }) else { return }
                let first = state.withLock { $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }
                guard let first else { return }
                deliver(first.line, from: first.sender)
            }
        }

        private func deliver(_ line: String, from sender: Int) {
            let others = state.withLock { state in
                state.members.filter { $0.key != sender }.sorted { $0.key < $1.key }
            }
            for (_, member) in others { member.lines.send(line) }
        }
    }

    static func run(in world: World, with bug: ServiceBug?) throws {
        let tally = SharedValue(Tally())
        let room = Room(bug)
        let server = world.host("server")
        let address = server.address(port: 7100)
        server.start { loop in
            try Server(
                on: address,
                loops: LoopGroup(loop),
                limits: ServerLimits(timeouts: ConnectionTimeouts(idle: .seconds(100)))
            ) { connection in serve(connection, in: room, bug) }
        }
        for number in 0..<members {
            world.host("member \(number)").start { loop in talk(number, in: world, on: loop, tally) }
        }
        world.host("slow member").start { loop in listenSlowly(on: loop, tally) }
        world.network.faults = [
            .latency(.milliseconds(1) ... .milliseconds(30)).until(calm),
            .reset(probability: 0.004).until(calm).on("member 0"),
            .crash(every: .seconds(15), lasting: .seconds(1) ... .seconds(4)).until(calm).on("member 1"),
        ]
        try world.run(for: calm + .seconds(200))
        let result = tally.value
        try require(result.wrong.isEmpty, "\(result.wrong.prefix(3))")
        try require(room.count == 0, "\(room.count) members are in the room, and none is connected")
        // The buffers of both kernels hold about twenty lines, and the connection a few. Later lines do not wait.
        let late = result.sent.values.filter { $0 > slowness - .seconds(5) }.count
        let most = (queueLimit + 30 + late) * padding.count
        try require(result.bytesOfSlowMember <= most, "\(result.bytesOfSlowMember) bytes waited for the slow member")
        // Members 2 and 3 have no faults, so each receives every line of the other.
        for (one, other) in [(2, 3), (3, 2)] {
            let received = result.received[one, default: []].filter { $0.hasPrefix("m\(other) ") }
            let expected = (0..<lines).map { "m\(other) \($0)" }
            try require(received == expected, "member \(one) received \(received.count) of \(lines) lines of \(other)")
        }
    }

    private static func serve(
        _ connection: Connection,
        in room: Room,
        _ bug: ServiceBug?
    ) -> Signal<Never, SocketError> {
        let (number, lines) = room.join(connection)
        connection.lines.subscribe(
            onValue: { line in room.send(line, from: number) },
            onTermination: { _ in connection.close() }
        )
        connection.ended.subscribe(onTermination: { termination in
            if bug == .forgottenLeave, case .failed = termination { return }
            room.leave(number)
        })
        let queued = bug == .unboundedQueue ? lines.signal : lines.signal.buffer(queueLimit, whenFull: .dropOldest)
        return connection.send(from: queued.map { line in Bytes(joining: [Bytes(line), " ", padding, "\n"]) })
    }

    /// Sends lines, and records those of others. Connects again after a failure, and leaves at the end.
    private static func talk(_ number: Int, in world: World, on loop: SimulatedLoop, _ tally: SharedValue<Tally>) {
        let next = SharedValue(0)
        @Sendable func attempt() {
            Connection.connect(toHost: "server", port: 7100, loop: loop)
                .flatMap(.latest) { connection in
                    speak(connection)
                    return connection.received.framed(by: .newline, limit: 65_536)
                }
                .subscribe(
                    onValue: { line in
                        let text = "\(line.prefix(16))".split(separator: " ").prefix(2).joined(separator: " ")
                        let now = world.now
                        tally.update { tally in
                            tally.received[number, default: []].append(text)
                            let age = now - tally.sent[text, default: now]
                            // Members 0 and 1 are not always connected.
                            if number >= 2, age > .seconds(5) { tally.wrong.append("\(text) arrived after \(age)") }
                        }
                    },
                    onTermination: { termination in
                        if case .failed = termination, next.value < lines {
                            loop.schedule(after: .seconds(1)) { attempt() }
                        }
                    }
                )
        }
        @Sendable func speak(_ connection: Connection) {
            guard next.value < lines else {
                loop.schedule(after: .seconds(20)) { connection.close() }
                return
            }
            loop.schedule(after: .seconds(1)) {
                let line = next.update { next in
                    next += 1
                    return next - 1
                }
                tally.update { $0.sent["m\(number) \(line)"] = world.now }
                connection.send(line: "m\(number) \(line)").subscribe(
                    onTermination: { termination in if case .completed = termination { speak(connection) } }
                )
            }
        }
        attempt()
    }

    /// Connects, and reads nothing for a long time. Then reads what has waited.
    private static func listenSlowly(on loop: SimulatedLoop, _ tally: SharedValue<Tally>) {
        Connection.connect(toHost: "server", port: 7100, loop: loop).subscribe(
            onValue: { connection in
                loop.schedule(after: slowness) {
                    connection.received.subscribe(
                        onValue: { chunk in tally.update { $0.bytesOfSlowMember += chunk.count } },
                        onTermination: { _ in }
                    )
                    loop.schedule(after: .seconds(20)) { connection.close() }
                }
            },
            onTermination: { _ in }
        )
    }
}
