// SPDX-License-Identifier: MIT
import Reactive
import ReactiveSimulation
import SchedulerEngine
import Synchronization
import Testing

/// The snippets of Docs/Simulation.md.
@Suite struct DocsSimulation {
    /// What the bank stores. It survives a crash of the process, as a database does.
    private final class Account: Sendable {
        private let state = Mutex((balance: 0, known: Set<String>()))

        var balance: Int { state.withLock { $0.balance } }

        func deposit() -> Int {
            state.withLock { state in
                state.balance += 1
                return state.balance
            }
        }

        func deposit(_ number: String) -> Int {
            state.withLock { state in
                if state.known.insert(number).inserted { state.balance += 1 }
                return state.balance
            }
        }
    }

    /// Deposits one for each line, and answers with the balance.
    private func serve(_ account: Account, at address: SocketAddress, on loop: any LoopScheduler) throws -> Server {
        try Server(on: address, loops: LoopGroup(loop)) { connection in
            connection.send(lines: connection.lines.map { _ in "\(account.deposit())" })
        }
    }

    /// Makes one deposit. Without an answer within two seconds, it tries again.
    private func deposit(_ number: Int, on loop: any LoopScheduler) -> Signal<String, SocketError> {
        Connection.connect(toHost: "bank", port: 7000, loop: loop)
            .flatMap(.latest) { connection in
                connection.send(line: "deposit \(number)")
                return connection.lines.take(1)
            }
            .timeout(after: .seconds(2), raising: SocketError(.timedOut, "the bank does not answer"), on: loop)
            .retry(backoff: Backoff(first: .milliseconds(100), maximum: .seconds(2)), on: loop)
    }

    private func makeDeposits(_ count: Int, on loop: any LoopScheduler) {
        Signal<Int, SocketError>(values: 1...count)
            .flatMap(.concurrent(limit: 1)) { number in deposit(number, on: loop) }
            .subscribe(onValue: { _ in }, onTermination: { _ in })
    }

    private func explore() throws {
        try Simulation.explore(seeds: 1...1_000) { world in
            let bank = world.host("bank"), client = world.host("client")
            let account = Account()
            let address = bank.address(port: 7000)
            bank.start { loop in try serve(account, at: address, on: loop) }
            client.start { loop in makeDeposits(10, on: loop) }
            world.network.faults = [.reset(probability: 0.02), .latency(.milliseconds(1) ... .milliseconds(50))]
            try world.run(for: .seconds(60))
            if account.balance != 10 { throw Wrong(balance: account.balance) }
        }
    }

    private struct Wrong: Error { let balance: Int }

    @Test("The bank of the tutorial loses its bet")
    func tutorial() throws {
        do { try explore() } catch { print(error) }
    }
}
