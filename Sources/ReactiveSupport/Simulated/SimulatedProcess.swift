// SPDX-License-Identifier: MIT
import CReactive

/// The simulated process whose code runs on this thread (Decision 0041).
///
/// Outside of a simulation no process is current.
package final class SimulatedProcess: Sendable {
    /// The process's socket calls, of a type that ReactiveSockets defines.
    package let sockets: any AnyObject & Sendable
    /// Returns the next random number of the simulation.
    package let random: @Sendable () -> UInt64

    /// Called when code of the process gives a task to the global executor.
    package let reportEscape: @Sendable () -> Void
    /// Called where the simulation may run another thread of the process instead of the calling thread.
    let yield: @Sendable (YieldPoint.Kind) -> Void
    /// The threads of the process. nil if its threads are those of the real system.
    package let threads: (any SimulatedThreads)?

    package init(
        sockets: any AnyObject & Sendable,
        random: @escaping @Sendable () -> UInt64,
        reportEscape: @escaping @Sendable () -> Void = {},
        yield: @escaping @Sendable (YieldPoint.Kind) -> Void = { _ in },
        threads: (any SimulatedThreads)? = nil
    ) {
        self.sockets = sockets
        self.random = random
        self.reportEscape = reportEscape
        self.yield = yield
        self.threads = threads
    }

    /// The process whose code runs on this thread, or nil.
    package static var current: SimulatedProcess? {
        guard let pointer = unsafe reactive_simulated_get() else { return nil }
        // Safe: `run` retains the object until it has restored the slot.
        return unsafe Unmanaged<SimulatedProcess>.fromOpaque(pointer).takeUnretainedValue()
    }

    /// Runs `body` as code of this process, and restores the thread's slot on return and on an error.
    package func run<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        let previous = unsafe reactive_simulated_get()
        unsafe reactive_simulated_set(Unmanaged.passUnretained(self).toOpaque())
        defer { unsafe reactive_simulated_set(previous) }
        return try withExtendedLifetime(self) { () throws(Failure) in try body() }
    }

    /// Runs `body` as code that belongs to no simulated process.
    package static func runWithout<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let previous = unsafe reactive_simulated_get()
        reactive_simulated_set(nil)
        defer { unsafe reactive_simulated_set(previous) }
        return try body()
    }
}

/// The random numbers of the library: those of the simulation, or the system's outside of one.
package struct AmbientRandom: RandomNumberGenerator {
    package init() {}

    package func next() -> UInt64 {
        if let process = SimulatedProcess.current { return process.random() }
        var system = SystemRandomNumberGenerator()
        return system.next()
    }
}
