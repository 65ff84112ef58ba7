// SPDX-License-Identifier: MIT
import Dispatch
import ReactiveCore

/// Makes libraries open their one-time descriptors before resources are counted.
enum LibraryWarmUp {
    /// Creates and disposes a loop of each kind. Errors are ignored here; the check reports them.
    static func run(_ loops: [LoopDescription]) {
        for loop in loops { try? loop.make("warm-up", false).dispose() }
        waitForDispatch()
    }

    /// Waits for libdispatch, which opens its descriptors on a thread of its own, some time after its first use. The
    /// last one is for timers; it is opened at the end of a round in which a timer was not due.
    private static func waitForDispatch() {
        // Not a global queue: libdispatch opens files of /proc for the threads of those, and ends the process if it
        // gets no descriptor.
        let queue = DispatchQueue(label: "warm-up")
        let far = DispatchSource.makeTimerSource(queue: queue)
        far.schedule(deadline: .now() + .seconds(3600))
        far.activate()
        // The first timer may fire in the round that sees the far one; the second fires in a later one.
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
