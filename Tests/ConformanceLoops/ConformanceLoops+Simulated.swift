// SPDX-License-Identifier: MIT
import Glibc
import ReactiveCore
import ReactiveSimulation
package import SchedulerConformance
import SchedulerEngine

extension ConformanceLoops {
    /// The engine over the simulated poller, on a host of a world. Threads, time and system calls are simulated.
    package static let simulated: LoopDescription = {
        var simulated = LoopDescription("simulated") { name, isOwned in
            guard let host = SimulatedHost.current else {
                throw LoopError(.unavailable, "a simulated loop belongs to a simulated machine")
            }
            return try host.makeLoop(name, thread: isOwned ? .owned : .caller)
        }
        simulated.absent = [
            .children: "child processes are not simulated",
            .kernelDescriptors: "descriptors are simulated",
            .forks: "a fork copies only one of the threads that simulate a machine",
            .mainThread: "the threads of a simulated machine are not the main thread",
        ]
        simulated.spend = { duration, _ in Platform.pause(duration) }
        simulated.holdings = { loop in holdings(loop, of: SimulatedLoop.self) }
        simulated.machine = { seed, limit, check in
            Simulation.runProgram(seed: seed, limit: limit, interleaving: interleaving) { _ in check() }
        }
        return simulated
    }()

    /// A build with the trait `Simulation` can also stop threads at locks, with the probability in the variable
    /// `CONFORMANCE_INTERLEAVING`. Stops last up to a second, so rules with an upper time limit may fail.
    private static let interleaving: Interleaving = {
        guard let value = getenv("CONFORMANCE_INTERLEAVING") else { return .wholeTurns }
        return Double(String(cString: value)).map { .random($0) } ?? .wholeTurns
    }()
}
