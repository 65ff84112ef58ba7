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

        /// Adds one. Returns the new balance.
        func deposit() -> Int {
            state.withLock { state in
                state.balance += 1
                return state.balance
            }
        }

        /// Adds one, unless this deposit is known. Returns the balance.
        func deposit(_ line: String) -> Int {
            state.withLock { state in
                if state.known.insert(line).inserted { state.balance += 1 }
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

    /// Deposits one for each line that is new, and answers with the balance.
    private func serveKnown(_ account: Account, at address: SocketAddress, on loop: any LoopScheduler) throws -> Server
    {
        try Server(on: address, loops: LoopGroup(loop)) { connection in
            connection.send(lines: connection.lines.map { line in "\(account.deposit(line))" })
        }
    }

    /// Makes one deposit. Without an answer within two seconds, it tries again.
    private func deposit(
        _ number: Int,
        at bank: SocketAddress,
        on loop: any LoopScheduler
    ) -> Signal<String, SocketError> {
        Connection.connect(to: bank, loop: loop)
            .flatMap(.latest) { connection in
                connection.send(line: "deposit \(number)").subscribe(onTermination: { _ in })
                return connection.lines.take(1)
            }
            .timeout(after: .seconds(2), raising: SocketError(.timedOut, "the bank does not answer"), on: loop)
            .retry(backoff: Backoff(first: .milliseconds(100), maximum: .seconds(2)), on: loop)
    }

    /// Ten deposits of a customer, on a network that resets some connections.
    private func tenDeposits(in world: World, isFixed: Bool = false) throws {
        let (bank, customer) = (world.host("bank"), world.host("customer"))
        let (account, address) = (Account(), bank.address(port: 7000))
        bank.start { loop in
            if isFixed { return try serveKnown(account, at: address, on: loop) }
            return try serve(account, at: address, on: loop)
        }
        customer.start { loop in
            Signal<Int, SocketError>(values: 1...10)
                .flatMap(.concat) { number in
                    deposit(number, at: address, on: loop).map { balance in (number, balance) }
                }
                .subscribe(
                    onValue: { number, balance in
                        world.check(balance == "\(number)", "after deposit \(number) the balance is \(balance)")
                    },
                    onTermination: { _ in }
                )
        }
        world.network.faults = [.latency(.milliseconds(1) ... .milliseconds(50)), .reset(probability: 0.001)]
        try world.run(for: .seconds(60))
        if account.balance != 10 { throw WrongBalance(balance: account.balance) }
    }

    private struct WrongBalance: Error { let balance: Int }

    @Test("The bank of the tutorial counts a deposit twice")
    func bug() throws {
        let failure = try #require(throws: SimulationFailure.self) {
            try Simulation.explore(seeds: 1...1_000) { world in try tenDeposits(in: world) }
        }
        // Docs/Simulation.md prints it.
        #expect(failure.seed == 15)
        #expect("\(failure.error)".hasPrefix("after deposit 6 the balance is 7"))
        #expect(failure.description.contains("0.601317    |<-------- RESET ---------|"), "\(failure)")
    }

    @Test("The fixed bank of the tutorial passes a thousand seeds")
    func fixed() throws {
        try Simulation.explore(seeds: 1...1_000) { world in try tenDeposits(in: world, isFixed: true) }
    }

    @Test("The whole diagram of the tutorial leaves nothing out")
    func whole() throws {
        let error = try #require(throws: SimulationFailure.self) {
            let failure = Reproduction(seed: 15, faultsUntil: .milliseconds(602))
            try Simulation.run(failure, diagram: .whole) { world in try tenDeposits(in: world) }
        }
        #expect("\(error.error)".hasPrefix("after deposit 6 the balance is 7"), "\(error)")
        #expect(!error.description.contains("left out"))
    }

    @Test("The hold of the tutorial delays the requests of the customer")
    func hold() throws {
        try Simulation.run(seed: 1) { world in
            let (bank, customer) = (world.host("bank"), world.host("customer"))
            let (account, address) = (Account(), bank.address(port: 7000))
            bank.start { loop in try serveKnown(account, at: address, on: loop) }
            customer.start { loop in
                loop.schedule(after: .seconds(1)) {
                    deposit(1, at: address, on: loop).subscribe(onValue: { _ in }, onTermination: { _ in })
                }
            }
            world.network.hold(from: customer, to: bank)
            try world.run(for: .seconds(10))
            world.network.release(from: customer, to: bank)
            #expect(account.balance == 0)
            try world.run(for: .seconds(10))
            #expect(account.balance == 1)
        }
    }

    @Test("Each deposit counts once, although the answer to the sixth is lost")
    func lostAnswer() throws {
        try Simulation.run(seed: 15) { world in try tenDeposits(in: world, isFixed: true) }
    }
}
