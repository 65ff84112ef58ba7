// SPDX-License-Identifier: MIT
import Reactive
import ReactiveSimulation
import SchedulerEngine

@testable import KeyValueService

/// The key-value server of the examples. Concurrent clients set, increment and read a few keys. The answers must be
/// those of a store in which the operations on one key happen one after another.
///
/// The store is in memory, so the server does not crash here.
enum KeyValueScenario: Scenario {
    static let name = "KeyValueServer"
    static let bugs: [ServiceBug] = [.lostUpdate, .doubledRetry, .staleCache, .answersOfOldPipeline]

    private static let clients = 3
    private static let operations = 14
    private static let keys = ["a", "b"]
    private static let calm = Duration.seconds(60)

    /// What the clients have observed.
    private struct History {
        var byKey: [String: [StoreOperation]] = [:]
        var clock = 0
        var done = 0
        var malformed: [String] = []

        mutating func begin(_ kind: StoreOperation.Kind, on key: String) -> Int {
            clock += 1
            byKey[key, default: []].append(StoreOperation(kind: kind, begin: clock))
            return byKey[key, default: []].count - 1
        }

        mutating func end(_ index: Int, of key: String, _ answer: Int?) {
            clock += 1
            byKey[key]?[index].end = clock
            byKey[key]?[index].answer = .some(answer)
        }
    }

    /// One reply of the protocol: a line, and the bytes that a length in it announces.
    private static let replies = Framing { buffered throws(SocketError) in
        guard let end = buffered.firstIndex(of: 13) else { return .incomplete }
        let header = end + 2
        guard buffered.first == UInt8(ascii: "$") else { return .frame(header: 0, payload: end, trailer: "\r\n") }
        guard let length = Int(decimal: buffered[1..<end]), length >= 0 else {
            return .frame(header: 0, payload: end, trailer: "\r\n")
        }
        return .frame(header: header, payload: length, trailer: "\r\n", includesHeader: true)
    }

    static func run(in world: World, with bug: ServiceBug?) throws {
        let history = SharedValue(History())
        let server = world.host("server")
        let address = server.address(port: 6379)
        server.start { loop in
            let service = Service(on: loop, Settings())
            let other = try server.makeLoop("second")
            return try Server(on: address, loops: LoopGroup(count: 2) { $0 == 0 ? loop : other }) { connection in
                service.serve(connection)
            }
        }
        for number in 0..<clients {
            let host = world.host("client \(number)")
            let random = world.random
            let seeds = (0..<operations).map { _ in random.next() }
            host.start { loop in StoreClient(number, seeds, on: loop, history, bug).begin() }
        }
        world.network.faults = [
            .latency(.milliseconds(1) ... .milliseconds(40)).until(calm),
            .reset(probability: 0.02).until(calm),
            .partition(every: .seconds(20)).until(calm),
            .loss(probability: 0.02).until(calm),
        ]
        try world.run(for: calm + .seconds(120))
        let result = history.value
        try require(result.malformed.isEmpty, "malformed replies: \(result.malformed.prefix(3))")
        try require(result.done == clients, "\(result.done) of \(clients) clients have ended")
        for (key, operations) in result.byKey.sorted(by: { $0.key < $1.key }) {
            var check = LinearizabilityCheck(operations)
            try require(check.isLinearizable(), "the answers for the key \(key) fit no order: \(operations)")
        }
    }

    /// A client that performs its operations one after another, or two at a time.
    private final class StoreClient: Sendable {
        private let history: SharedValue<History>
        private let bug: ServiceBug?
        private let loop: SimulatedLoop
        private let client: LineClient
        private let seeds: [UInt64]
        private let cache = SharedValue<[String: Int?]>([:])
        private let number: Int

        init(
            _ number: Int,
            _ seeds: [UInt64],
            on loop: SimulatedLoop,
            _ history: SharedValue<History>,
            _ bug: ServiceBug?
        ) {
            self.number = number
            self.seeds = seeds
            self.loop = loop
            self.history = history
            self.bug = bug
            client = LineClient(
                to: "server",
                6379,
                on: loop,
                framing: replies,
                keepsWaiting: bug == .answersOfOldPipeline
            )
        }

        func begin() { next(0) }

        private func next(_ place: Int) {
            guard place < seeds.count else {
                history.update { $0.done += 1 }
                return client.close()
            }
            let seed = seeds[place]
            let key = keys[Int(seed % 2)]
            let isPair = seed >> 8 % 3 == 0
            let left = SharedValue(isPair ? 2 : 1)
            let done: @Sendable () -> Void = { [self] in
                let isLast = left.update { left in
                    left -= 1
                    return left == 0
                }
                if isLast { loop.schedule(after: .milliseconds(300)) { [self] in next(place + 1) } }
            }
            switch seed >> 16 % 4 {
            case 0: perform(.set(number * 1_000 + place), on: key, done)
            case 1: perform(.get, on: key, done)
            default: perform(.increment, on: key, done)
            }
            if isPair { perform(.get, on: keys[1 - Int(seed % 2)], done) }
        }

        private func perform(_ kind: StoreOperation.Kind, on key: String, _ done: @escaping @Sendable () -> Void) {
            if kind == .get, bug == .staleCache, let known = cache.value[key] {
                let index = history.update { $0.begin(.get, on: key) }
                history.update { $0.end(index, of: key, known) }
                return loop.execute { done() }
            }
            if kind == .increment, bug == .lostUpdate { return readAndWrite(key, done) }
            let index = history.update { $0.begin(kind, on: key) }
            let line =
                switch kind {
                case .set(let value): "SET \(key) \(value)"
                case .get: "GET \(key)"
                case .increment: "INCR \(key)"
                }
            ask(line, isRepeated: kind == .get || bug == .doubledRetry && kind == .increment) { [self] answer in
                guard let answer else { return done() }
                history.update { $0.end(index, of: key, answer) }
                cache.update { $0[key] = answer }
                done()
            }
        }

        /// Increments without `INCR`: another client may do the same in between.
        private func readAndWrite(_ key: String, _ done: @escaping @Sendable () -> Void) {
            let index = history.update { $0.begin(.increment, on: key) }
            ask("GET \(key)", isRepeated: true) { [self] answer in
                let value = ((answer ?? nil) ?? 0) + 1
                ask("SET \(key) \(value)", isRepeated: false) { [self] answer in
                    if answer != nil { history.update { $0.end(index, of: key, value) } }
                    done()
                }
            }
        }

        /// Asks until there is an answer, or once. The answer is nil if it is unknown.
        private func ask(_ line: String, isRepeated: Bool, _ answer: @escaping @Sendable (Int??) -> Void) {
            client.ask(line) { [self] result in
                switch result {
                case .success(let text):
                    guard let value = Self.value(text) else {
                        history.update { $0.malformed.append("\(line): \(text)") }
                        return answer(nil)
                    }
                    answer(.some(value))
                case .failure:
                    loop.schedule(after: .milliseconds(300)) { [self] in
                        if isRepeated { ask(line, isRepeated: true, answer) } else { answer(nil) }
                    }
                }
            }
        }

        /// The value of a reply. nil means that it is malformed.
        private static func value(_ text: String) -> Int?? {
            if text == "+OK" || text == "$-1" { return .some(nil) }
            if text.hasPrefix(":") { return Int(text.dropFirst()).map { .some($0) } }
            guard text.hasPrefix("$") else { return nil }
            return text.split(separator: "\r\n").last.flatMap { Int($0) }.map { .some($0) }
        }
    }
}
