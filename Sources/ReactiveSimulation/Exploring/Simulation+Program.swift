// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSupport

extension Simulation {
    /// Runs `body` on a thread of the only host of a world, until it returns or a duration of the world has passed.
    ///
    /// - Parameters:
    ///   - seed: The seed of the world.
    ///   - limit: The maximum duration.
    ///   - interleaving: Where threads are stopped. Without the trait `Simulation`, there are no stops at locks.
    ///   - body: It may start threads and loops, and block.
    /// - Returns: Why `body` has not returned. nil if it has returned.
    package static func runProgram(
        seed: UInt64,
        limit: Duration,
        interleaving: Interleaving = .wholeTurns,
        _ body: @escaping @Sendable (SimulatedHost) -> Void
    ) -> String? {
        let isDone = Lock(false)
        let world = World(Reproduction(seed: seed))
        world.stepLimit = .max
        world.interleaving = interleaving
        let host = world.host("machine", descriptorLimit: 4_096, clockSkew: 0)
        host.start()
        world.strands.add(
            .function {
                body(host); isDone.withLockAtOnce { $0 = true }
            },
            named: "program",
            on: host
        )
        do {
            try world.run(for: limit) { isDone.withLockAtOnce { $0 } }
        } catch {
            return "\(error)"
        }
        if isDone.withLockAtOnce({ $0 }) {
            world.end()
            return nil
        }
        let names = world.strands.unfinished.map(\.name).joined(separator: ", ")
        return "at \(world.now) these threads have not ended: \(names)"
    }
}
