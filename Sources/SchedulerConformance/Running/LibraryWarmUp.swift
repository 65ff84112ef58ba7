import Dispatch
import ReactiveCore

/// What a library opens once in a process is there before anything is counted.
enum LibraryWarmUp {
    /// Makes and disposes a loop of each kind. One that cannot be made is the check's own affair.
    static func run(_ loops: [LoopDescription]) {
        for loop in loops { try? loop.make("warm-up", false).dispose() }
        waitForDispatch()
    }

    /// libdispatch, which a loop or a guest's host may be on, opens its descriptors on a thread of its own, some time after it was
    /// first used: the last is one for timers, at the end of a round in which one was not due.
    private static func waitForDispatch() {
        // Not a global queue: libdispatch opens files of /proc for the threads of those, and ends the process if it gets no descriptor.
        let queue = DispatchQueue(label: "warm-up")
        let far = DispatchSource.makeTimerSource(queue: queue)
        far.schedule(deadline: .now() + .seconds(3600))
        far.activate()
        // The first may fire in the round that sees the far one; the second, in a later one.
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
