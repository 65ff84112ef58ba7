// SPDX-License-Identifier: MIT
package import ReactiveCore
import ReactiveSockets
import ReactiveSupport
package import SchedulerEngine

extension SimulatedHost {
    /// The host whose code runs on this thread.
    package static var current: SimulatedHost? { (SimulatedProcess.current?.threads as? HostThreads)?.host }

    /// Creates a loop that the world does not run: its caller or a simulated thread of its own runs it.
    ///
    /// - Throws: `systemCall` if the host has no descriptor left.
    package func makeLoop(_ name: String, thread: LoopThread) throws(LoopError) -> SimulatedLoop {
        let creation = LoopCreation(host: self, set: kernel.makePollSet {})
        let made: Result<SimulatedLoop, LoopError> = LoopCreation.$current.withValue(creation) {
            process.run {
                Result { () throws(LoopError) in
                    try SimulatedLoop(simulated: name, thread: thread, clock: clock, system: kernel)
                }
            }
        }
        return try made.get()
    }
}
