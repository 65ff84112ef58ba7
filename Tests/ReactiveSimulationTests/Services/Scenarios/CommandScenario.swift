// SPDX-License-Identifier: MIT
import Reactive
import ReactiveSimulation
import SchedulerEngine

/// A server that performs jobs, and clients whose command sends each job with a time limit and at most two repeats.
/// Each execution ends exactly once, with the answer to its own job.
enum CommandScenario: Scenario {
    static let name = "Commands"
    static let bugs: [ServiceBug] = [.doubleAnswer, .retryForever, .lateAnswer]

    private static let clients = 2
    private static let jobs = 30
    private static let repeats = 2
    private static let calm = Duration.seconds(50)

    private struct Tally {
        var ends: [String: [String]] = [:]
        var attempts: [String: Int] = [:]
        var mostAnswers = 0
    }

    static func run(in world: World, with bug: ServiceBug?) throws {
        let tally = SharedValue(Tally())
        let server = world.host("server")
        let address = server.address(port: 9000)
        server.start { loop in
            try Server(on: address, loops: LoopGroup(loop)) { connection in
                let answers = connection.lines.flatMap { job in
                    Signal<String, SocketError>.just("done \(job)").delay(time(of: job), on: loop)
                }
                return connection.send(lines: answers)
            }
        }
        for number in 0..<clients {
            world.host("client \(number)").start { loop in work(number, on: loop, tally, bug) }
        }
        world.network.faults = [
            .latency(.milliseconds(1) ... .milliseconds(200)).until(calm),
            .reset(probability: 0.01).until(calm),
            .partition(every: .seconds(15)).until(calm).between("client 0", "server"),
            .pause(every: .seconds(10)).until(calm).on("server"),
        ]
        try world.run(for: calm + .seconds(120))
        let result = tally.value
        try require(
            result.ends.count == clients * jobs,
            "\(result.ends.count) of \(clients * jobs) executions have ended"
        )
        for (job, ends) in result.ends.sorted(by: { $0.key < $1.key }) {
            try require(ends.count == 1, "the execution of \(job) has ended \(ends.count) times: \(ends)")
            let isRight = ends[0] == "done \(job)" || ends[0].hasPrefix("failed")
            try require(isRight, "the execution of \(job) ended with \(ends[0])")
        }
        try require(result.mostAnswers <= 1, "one request was answered \(result.mostAnswers) times")
        for (job, attempts) in result.attempts where attempts > repeats + 1 {
            throw Violation("\(job) was attempted \(attempts) times")
        }
    }

    /// The time that a job takes: up to three seconds, mostly less than one.
    private static func time(of job: String) -> Duration {
        let number = job.utf8.reduce(7) { ($0 &* 31 &+ Int($1)) & 0xFFFF } % 100
        return .milliseconds(number < 80 ? number * 10 : number * 30)
    }

    private static func work(_ number: Int, on loop: SimulatedLoop, _ tally: SharedValue<Tally>, _ bug: ServiceBug?) {
        let client = JobClient(on: loop, bug)
        let command = Command<String, String, SocketError>(.queue(limit: 100, running: 4)) { job in
            let request = Signal<String, SocketError> { emitter, _ in
                tally.update { $0.attempts[job, default: 0] += 1 }
                let answers = SharedValue(0)
                client.ask(job) { result in
                    let count = answers.update { answers in
                        answers += 1
                        return answers
                    }
                    tally.update { $0.mostAnswers = max($0.mostAnswers, count) }
                    switch result {
                    case .success(let answer):
                        emitter.send(answer)
                        emitter.complete()
                    case .failure(let error): emitter.fail(error)
                    }
                }
            }
            return bug == .retryForever
                ? request.retry(after: .milliseconds(100), on: loop)
                : request.retry(upTo: repeats, after: .milliseconds(100), on: loop)
        }
        for place in 0..<jobs {
            let job = "job \(number) \(place)"
            loop.schedule(after: .seconds(1) * place) {
                command.execute(job).subscribe(
                    onValue: { answer in tally.update { $0.ends[job, default: []].append(answer) } },
                    onTermination: { termination in
                        if case .failed(let error) = termination {
                            tally.update { $0.ends[job, default: []].append("failed: \(error)") }
                        }
                    }
                )
            }
        }
    }

    /// Sends jobs on one connection, whose answers arrive in any order. Each has a time limit.
    private final class JobClient: Sendable {
        private struct State {
            var connection: Connection?
            var isConnecting = false
            var waiting: [(job: String, answer: LineClient.Answer)] = []
        }

        private let loop: SimulatedLoop
        private let bug: ServiceBug?
        private let state = SharedValue(State())

        init(on loop: SimulatedLoop, _ bug: ServiceBug?) {
            self.loop = loop
            self.bug = bug
        }

        func ask(_ job: String, _ answer: @escaping LineClient.Answer) {
            state.update { $0.waiting.append((job, answer)) }
            if let connection = state.value.connection { connection.send(line: job) } else { connect() }
            loop.schedule(after: .seconds(2)) { [self] in
                let late = SocketError(.timedOut, "no answer to \(job) within two seconds")
                if bug == .doubleAnswer {
                    // The entry stays, so a later answer finds it.
                    state.value.waiting.first { $0.job == job }?.answer(.failure(late))
                } else {
                    take { $0 == job }?(.failure(late))
                }
            }
        }

        private func take(where matches: (String) -> Bool) -> LineClient.Answer? {
            state.update { state in
                state.waiting.firstIndex { matches($0.job) }.map { state.waiting.remove(at: $0).answer }
            }
        }

        private func connect() {
            let begins = state.update { state in
                defer { state.isConnecting = true }
                return !state.isConnecting
            }
            guard begins else { return }
            Connection.connect(toHost: "server", port: 9000, loop: loop).subscribe(
                onValue: { [self] connection in connected(connection) },
                onTermination: { [self] termination in if case .failed(let error) = termination { failed(error) } }
            )
        }

        private func connected(_ connection: Connection) {
            state.update { state in
                state.connection = connection
                state.isConnecting = false
            }
            connection.lines.subscribe(
                onValue: { [self] answer in received(answer) },
                onTermination: { [self] termination in
                    switch termination {
                    case .completed: failed(SocketError(.reset, "the server ended the stream"))
                    case .failed(let error): failed(error)
                    }
                    connection.close()
                }
            )
            for (job, _) in state.value.waiting { connection.send(line: job) }
        }

        private func received(_ answer: String) {
            // The right client compares the job in the answer.
            take { bug == .lateAnswer || answer == "done \($0)" }?(.success(answer))
        }

        private func failed(_ error: SocketError) {
            let all = state.update { state in
                defer { state = State() }
                return state.waiting
            }
            for (_, answer) in all { answer(.failure(error)) }
        }
    }
}
