// SPDX-License-Identifier: MIT
import Reactive
import ReactiveSimulation
import ReactiveSupport
import Testing

/// The snippet of Docs/Simulation.md about threads.
@Suite(.enabled(if: YieldPoint.isInLocks, "needs the trait Simulation")) struct DocsInterleaving {
    /// Two threads use a counter. Reading and writing are separate steps, so one addition can be lost.
    private func addTwice(in world: World) throws {
        let host = world.host("host")
        let counter = Property(0)
        world.interleaving = .random(0.2)
        for name in ["one", "two"] {
            host.startThread(name) { counter.value = counter.value + 1 }
        }
        try world.run(for: .seconds(10))
        world.check(counter.value == 2, "the counter is \(counter.value)")
        try world.run(for: .zero)
    }

    @Test("A lost addition is found within ten seeds")
    func lostAddition() {
        #expect(throws: SimulationFailure.self) {
            try Simulation.explore(seeds: 1...10) { world in try addTwice(in: world) }
        }
    }
}
