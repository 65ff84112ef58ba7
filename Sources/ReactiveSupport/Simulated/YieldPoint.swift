// SPDX-License-Identifier: MIT
import Glibc

/// The points at which a simulation may stop a thread and run another thread of the same process (Decision 0043).
///
/// The trait `Simulation` compiles them into ``Lock``. Simulated system calls always contain them. Other code of a
/// default build contains none.
@usableFromInline
package enum YieldPoint {
    package enum Kind: Sendable {
        /// The thread can continue.
        case step
        /// The thread waits for something that another thread does.
        case wait
        /// The thread lets others run.
        case yield
    }

    /// Whether the package was built with the trait `Simulation`.
    package static var isInLocks: Bool {
        #if Simulation
            true
        #else
            false
        #endif
    }

    /// Whether a simulation decides when this thread runs.
    static var isScheduled: Bool { isInLocks && SimulatedProcess.current != nil }

    /// Lets other threads run, if a simulation decides so. Outside of a simulation it does nothing.
    @usableFromInline
    package static func pass() { SimulatedProcess.current?.yield(.step) }

    /// Lets other threads of a simulation run. The caller continues a few microseconds later.
    package static func letOthersRun() { SimulatedProcess.current?.yield(.yield) }

    /// Lets threads run that no simulation controls.
    package static func yieldProcessor() { sched_yield() }

    /// Lets other threads run, because the caller waits for one of them.
    package static func spin() {
        if let process = SimulatedProcess.current { process.yield(.wait) } else { yieldProcessor() }
    }
}
