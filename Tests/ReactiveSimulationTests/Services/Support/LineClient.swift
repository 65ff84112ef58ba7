// SPDX-License-Identifier: MIT
import Reactive
import ReactiveSimulation
import SchedulerEngine
import Synchronization

/// A client that sends lines and receives one frame for each, in order. It connects when a line is sent. If the
/// connection fails, every waiting line fails.
///
/// Use it on its loop.
final class LineClient: Sendable {
    typealias Answer = @Sendable (Result<String, SocketError>) -> Void

    private struct State {
        var connection: Connection?
        var isConnecting = false
        /// The number of the current connection.
        var number = 0
        var waiting: [Waiting] = []
        /// The times of the attempts to connect.
        var attempts: [LoopInstant] = []
    }

    private struct Waiting {
        let line: String
        let answer: Answer
    }

    private let loop: SimulatedLoop
    private let host: String
    private let port: Int
    private let framing: Framing
    private let timeout: Duration?
    /// Whether the lines that wait are kept when the connection fails. That is a mistake.
    private let keepsWaiting: Bool
    private let state = Mutex(State())

    init(
        to host: String,
        _ port: Int,
        on loop: SimulatedLoop,
        framing: Framing = .newline,
        timeout: Duration? = .seconds(2),
        keepsWaiting: Bool = false
    ) {
        self.host = host
        self.port = port
        self.loop = loop
        self.framing = framing
        self.timeout = timeout
        self.keepsWaiting = keepsWaiting
    }

    /// The largest number of attempts to connect within one second.
    var mostAttemptsPerSecond: Int {
        let attempts = state.withLock { $0.attempts }
        return attempts.indices.map { first in
            attempts[first...].prefix { $0 < attempts[first] + .seconds(1) }.count
        }.max() ?? 0
    }

    /// Sends a line. `answer` is called once, on the loop.
    func ask(_ line: String, _ answer: @escaping Answer) {
        let connection = state.withLock { state in
            state.waiting.append(Waiting(line: line, answer: answer))
            return state.connection
        }
        if let connection { connection.send(line: line) } else { connect() }
        guard let timeout else { return }
        let number = state.withLock { $0.number }
        loop.schedule(after: timeout) { [weak self] in self?.lookAfter(number) }
    }

    func close() { state.withLock { $0.connection }?.close() }

    /// Ends the connection if it is still the same one and a line waits.
    private func lookAfter(_ number: Int) {
        let connection = state.withLock { state in
            state.number == number && !state.waiting.isEmpty ? state.connection : nil
        }
        connection?.abort()
    }

    private func connect() {
        let begins = state.withLock { state in
            defer { state.isConnecting = true }
            if !state.isConnecting { state.attempts.append(loop.now) }
            return !state.isConnecting
        }
        guard begins else { return }
        let settings = ConnectSettings(timeout: timeout ?? .seconds(3_600))
        Connection.connect(toHost: host, port: port, loop: loop, settings: settings).subscribe(
            onValue: { [self] connection in connected(connection) },
            onTermination: { [self] termination in
                if case .failed(let error) = termination { failed(error) }
            }
        )
    }

    private func connected(_ connection: Connection) {
        let (lines, _) = state.withLock { state in
            state.connection = connection
            state.isConnecting = false
            state.number += 1
            return (state.waiting.map(\.line), state.number)
        }
        connection.received.framed(by: framing, limit: 4096).subscribe(
            onValue: { [weak self] frame in self?.received("\(frame)") },
            onTermination: { [weak self] termination in
                switch termination {
                case .completed: self?.failed(SocketError(.reset, "the server ended the stream"))
                case .failed(let error): self?.failed(error)
                }
                connection.close()
            }
        )
        for line in lines { connection.send(line: line) }
        let number = state.withLock { $0.number }
        if let timeout { loop.schedule(after: timeout) { [weak self] in self?.lookAfter(number) } }
    }

    private func received(_ frame: String) {
        let first = state.withLock { state in state.waiting.isEmpty ? nil : state.waiting.removeFirst() }
        first?.answer(.success(frame))
    }

    private func failed(_ error: SocketError) {
        let waiting = state.withLock { state in
            state.connection = nil
            state.isConnecting = false
            if keepsWaiting, state.waiting.count > 1 {
                // Only the first line fails. The others are sent again.
                return [state.waiting.removeFirst()]
            }
            defer { state.waiting = [] }
            return state.waiting
        }
        for each in waiting { each.answer(.failure(error)) }
    }
}
