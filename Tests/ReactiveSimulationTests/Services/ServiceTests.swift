// SPDX-License-Identifier: MIT
import Glibc
import ReactiveSimulation
import Testing

/// The services under many seeds, and the seeds that find each bug.
@Suite struct ServiceTests {
    /// The seeds of each service. `make simulate COUNT=1000` sets more.
    private static let seeds: UInt64 = getenv("SIMULATE_SEEDS").flatMap { UInt64(String(cString: $0)) } ?? 20

    @Test("The services keep their promises", arguments: Scenarios.all.indices)
    func services(index: Int) throws {
        let scenario = Scenarios.all[index]
        try Simulation.explore(seeds: 1...Self.seeds) { world in try scenario.run(in: world, with: nil) }
    }

    @Test("Every bug belongs to one service")
    func bugs() {
        #expect(
            Scenarios.all.flatMap { $0.bugs }.map(\.rawValue).sorted() == ServiceBug.allCases.map(\.rawValue).sorted()
        )
    }

    @Test("A seed finds each bug")
    func found() throws {
        var first: [UInt64] = []
        for bug in ServiceBug.allCases {
            let scenario = try #require(Scenarios.all.first { $0.bugs.contains(bug) })
            guard let (seed, error) = failure(of: scenario, with: bug) else {
                Issue.record("1000 seeds do not find \(bug)")
                continue
            }
            print("\(bug.rawValue): seed \(seed): \("\(error)".prefix(160))")
            first.append(seed)
        }
        print(
            "\(first.count) of \(ServiceBug.allCases.count) bugs found; median seed \(first.sorted()[first.count / 2])"
        )
    }

    private func failure(of scenario: any Scenario.Type, with bug: ServiceBug) -> (UInt64, any Error)? {
        for seed in 1...UInt64(1_000) {
            do {
                try Simulation.run(seed: seed) { world in try scenario.run(in: world, with: bug) }
            } catch {
                return (seed, error)
            }
        }
        return nil
    }
}
