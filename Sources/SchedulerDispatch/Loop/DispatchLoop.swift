// SPDX-License-Identifier: MIT
public import Dispatch
public import ReactiveCore
// Importers also need the members of the loop, which the engine declares.
@_exported public import SchedulerEngine

/// An event loop for a process that uses libdispatch. It waits with epoll, as `EpollLoop` does, and can run on the main
/// queue and on other queues.
///
/// - `DispatchLoop.main` runs under its own `run()`. Between such runs, `dispatchMain()` or `RunLoop.main.run()` serves
///   the main queue, and the main queue runs the loop's turns.
/// - `DispatchLoop(attachedTo: queue)` runs on any queue.
/// - `DispatchLoop(name: "io")` owns a thread, and does not use libdispatch.
public typealias DispatchLoop = PollerLoop<DispatchPoller>

extension PollerLoop where Back == DispatchPoller {
    /// The loop of the process's main thread, created at first use. Any thread may use it first (rule M8).
    ///
    /// During its own `run()` the loop serves the main queue. Between its own runs it is a guest of the main queue:
    /// code that serves the queue runs this loop's turns (M9). Such code is `dispatchMain()`, `RunLoop.main.run()`, or
    /// the `run` of another main loop. The loop's own `run()` is faster.
    ///
    /// If the kernel has no memory to register a descriptor for the main queue, the queue runs the loop's work, but the
    /// loop's timers and watches wait until the program next uses the loop. If that memory runs out while libdispatch
    /// starts, libdispatch ends the process.
    ///
    /// If the system has no descriptor left, the result is a loop that drops work, and whose calls throw that error
    /// (`systemCall`). The next use of `main` tries again. In a forked child the loop belongs to the parent, and its
    /// calls throw `forked`.
    public static var main: DispatchLoop {
        mainLoop { DispatchHost(.main, makesSourceLate: true) }
    }

    /// Creates a loop whose turns are blocks of `queue`, on whichever thread serves that queue.
    ///
    /// The loop is a guest of the queue (`PollerLoop.init(attachedTo:name:servesMainQueue:)`). Wherever that page says
    /// "the host's thread", read "the queue". So call `watch` on the queue. Call `dispose()` on the queue if it must
    /// take effect immediately. A concurrent queue runs one turn at a time, but its other blocks may run at the same
    /// time. A queue may have any number of guests.
    ///
    /// The loop retains the queue until it is disposed. Any thread may create the loop. The call blocks while
    /// libdispatch waits for a thread.
    ///
    /// - Parameters:
    ///   - queue: The queue that runs the turns.
    ///   - name: The name in messages.
    /// - Throws: `systemCall` if the system has too few descriptors or no memory left.
    public convenience init(attachedTo queue: DispatchQueue, name: String = "queue") throws(LoopError) {
        // Checked before the first use of the queue, because libdispatch ends the process if it has no descriptor for
        // its first thread.
        try SpareDescriptors.check("the source of a queue's guest")
        try self.init(attachedTo: DispatchHost(queue), name: name)
    }
}
