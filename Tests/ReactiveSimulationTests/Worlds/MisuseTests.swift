// SPDX-License-Identifier: MIT
import Reactive
import ReactiveSimulation
import SchedulerEngine
import Testing

/// Misuses of the API. Each key is the sentence that its misuse prints.
private let misuses: [String: @Sendable () throws -> Void] = [
    "this world already has a host named web": { try inWorld { world in _ = (world.host("web"), world.host("web")) } },
    "a clock skew of 500000 is not allowed: use -499999 to 499999": {
        try inWorld { world in _ = world.host("web", clockSkew: 500_000) }
    },
    "host web runs already: call exit() or crash() before restart()": {
        try inWorld { world in
            let host = world.host("web")
            for _ in 0..<2 { host.restart() }
        }
    },
    "a SimulatedLoop must be created by a SimulatedHost: call host.start { loop in … }": {
        _ = try SimulatedLoop(name: "own")
    },
    "near and far must be hosts of this network's world": {
        let far = try inWorld { world in world.host("far") }
        try inWorld { world in world.network.block(from: world.host("near"), to: far) }
    },
    "a fault that happens every 0.0 seconds is not allowed: the duration must be positive": {
        _ = Fault.partition(every: .zero)
    },
    "a probability of 2.0 is not allowed: use 0 to 1": { _ = Interleaving.random(2) },
    "a depth of 0 is not allowed: use at least 1": { _ = Interleaving.pct(depth: 0, points: 1) },
    "0 yield points are not allowed: use at least 1": { _ = Interleaving.pct(depth: 1, points: 0) },
]

@Suite struct MisuseTests {
    @Test("A misuse prints its sentence, in release builds too", arguments: misuses.keys.sorted())
    func sentence(_ sentence: String) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [sentence] in
            try misuses[sentence]!()
        }
        let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(said.contains(sentence))
    }
}

private func inWorld<Result>(_ body: (World) throws -> Result) throws -> Result {
    try Simulation.run(seed: 1, body)
}
