// SPDX-License-Identifier: MIT
import Dispatch
import ReactiveCore

/// Makes libraries open their one-time descriptors before resources are counted.
enum LibraryWarmUp {
    /// Creates and disposes a loop of each kind. It ignores errors, because the check reports them.
    static func run(_ loops: [LoopDescription]) {
        for loop in loops where loop.machine == nil { try? loop.make("warm-up", false).dispose() }
        waitForDispatch()
    }

    /// Waits until libdispatch has opened its descriptors. It opens them on a separate thread, some time after its
    /// first use. The last one is for timers. It is opened at the end of a round in which a timer was not due.
    private static func waitForDispatch() {
        // A global queue is not suitable: libdispatch opens files of /proc for the threads of such queues, and ends the
        // process if no descriptor is free.
        let queue = DispatchQueue(label: "warm-up")
        let far = DispatchSource.makeTimerSource(queue: queue)
        far.schedule(deadline: .now() + .seconds(3600))
        far.activate()
        // The first timer may fire in the round that finds the far timer. The second one fires in a later round.
        for _ in 0..<2 {
            let fired = DispatchSemaphore(value: 0)
            let soon = DispatchSource.makeTimerSource(queue: queue)
            soon.setEventHandler { fired.signal() }
            soon.schedule(deadline: .now())
            soon.activate()
            fired.wait()
            soon.cancel()
        }
        far.cancel()
    }
}
