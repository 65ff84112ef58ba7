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
        try LoopCreation(host: self, set: kernel.makePollSet {}).make { () throws(LoopError) in
            try SimulatedLoop(simulated: name, thread: thread, clock: clock, system: kernel)
        }
    }
}
