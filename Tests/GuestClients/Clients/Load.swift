// SPDX-License-Identifier: MIT
import CClients
import ReactiveCore
import ReactiveSignals
import ReactiveSockets

/// Echoes over a socket, timers, and a timer that records once a millisecond how late it fires. Why `@unchecked
/// Sendable` is correct: everything runs on the guest, and `clients` is set before the host runs.
final class Load: @unchecked Sendable {
    private static let size = 16
    private static let window = 64

    private let guest: any LoopScheduler
    private let count: Int
    private let finish: @Sendable () -> Void
    private let listener: Listener
    private var client: Connection?
    private var ticks: (any Disposable)?
    private var (sent, bytes, fired) = (0, 0, 0)
    private var due: LoopInstant
    private var lags: [Duration] = []
    private var results: [String: (answered: Int, wrong: Int)] = [:]
    var clients: OpaquePointer?

    init(_ guest: any LoopScheduler, _ count: Int, finish: @escaping @Sendable () -> Void) throws {
        self.guest = guest
        self.count = count
        self.finish = finish
        due = guest.now
        listener = try Listener(on: .loopback(port: 0), loop: guest)
        listener.connections.subscribe(
            onValue: { connection in connection.send(from: connection.received) },
            onTermination: { print("listening ended: \($0)") }
        )
        Connection.connect(to: listener.localAddress, loop: guest).subscribe(
            onValue: { [self] connection in
                client = connection
                connection.received.subscribe(
                    onValue: { [self] chunk in echoed(chunk.count) },
                    onTermination: { _ in }  // The end of the run closes it.
                )
                for _ in 0..<min(Self.window, count) { send() }
            },
            onTermination: { if case .failed(let error) = $0 { print(error) } }
        )
        let start = guest.now
        for number in 0..<count {
            _ = guest.schedule(at: start + .microseconds(number % 1_000_000), options: TimerOptions()) { [self] in
                timerFired()
            }
        }
        // Starts when the host runs, so that the setup does not count as lag of the loop.
        guest.execute { [self] in watchLag() }
    }

    private func watchLag() {
        due = guest.now + .milliseconds(1)
        ticks = guest.schedule(every: .milliseconds(1)) { [self] in
            let now = guest.now
            lags.append(now - due)
            // One firing makes up for all missed ones.
            while due <= now { due = due + .milliseconds(1) }
        }
    }

    private func send() {
        sent += 1
        client?.send(Bytes(String(repeating: "x", count: Self.size)))
    }

    private func echoed(_ more: Int) {
        bytes += more
        let answered = bytes / Self.size
        while sent < count, sent - answered < Self.window { send() }
        if bytes == count * Self.size { ended("echoes", answered, wrong: 0) }
    }

    private func timerFired() {
        fired += 1
        if fired == count { ended("timers", fired, wrong: 0) }
    }

    /// Callable from any thread.
    func ended(_ what: String, _ answered: Int, wrong: Int) {
        guest.execute { [self] in
            results[what] = (answered, wrong)
            guard results.count == 4 else { return }
            ticks?.dispose()
            client?.close()
            listener.close()
            if let clients { clients_end(clients) }
            finish()
        }
    }

    var isRight: Bool { results.count == 4 && results.values.allSatisfy { $0.answered == count && $0.wrong == 0 } }

    var summary: String {
        let counts = results.sorted { $0.key < $1.key }.map { name, result in
            "\(result.answered) \(name)" + (result.wrong > 0 ? " (\(result.wrong) out of place)" : "")
        }
        let sorted = lags.sorted()
        func milliseconds(_ lag: Duration) -> Double { (lag / .microseconds(10)).rounded() / 100 }
        let (median, worst) = (sorted.dropFirst(sorted.count / 2).first, sorted.last)
        let lag =
            "; a timer of 1 ms is late by \(milliseconds(median ?? .zero)) ms (median), \(milliseconds(worst ?? .zero)) ms (worst)"
        return counts.joined(separator: ", ") + lag
    }
}
