public import Dispatch
public import ReactiveCore
// The loop's own members are the engine's: whoever imports this module gets them with it.
@_exported public import SchedulerEngine

/// The ``EpollLoop`` of a process that uses libdispatch: its form that shares the main queue and other queues.
///
/// - `DispatchLoop.main` runs under its own `run()`, and is attached to the main queue while `dispatchMain()` or
///   `RunLoop.main.run()` serves that.
/// - `DispatchLoop(attachedTo: queue)` is attached to any queue.
/// - `DispatchLoop(name: "io")` owns a thread, and does not use libdispatch.
public typealias DispatchLoop = PollerLoop<DispatchPoller>

extension PollerLoop where Back == DispatchPoller {
    /// The loop of the process's main thread, made at first use.
    ///
    /// While nobody runs it, it is a guest of the main queue: whoever serves that queue (`dispatchMain()`,
    /// `RunLoop.main.run()`, the `run` of another main loop) serves this one. Its own `run()` is the faster way, and serves the
    /// main queue in turn.
    public static var main: DispatchLoop {
        mainLoop { DispatchHost(.main, isLate: true) }
    }

    /// Makes a loop whose turns are a queue's: its callbacks are blocks of `queue`'s, on whichever thread serves that.
    ///
    /// The loop is a guest (``PollerLoop/init(attachedTo:name:servesMainQueue:)``), and the queue takes the place of the host's
    /// thread: call `watch` on the queue, and `dispose()` too if it must take effect at once. A concurrent queue takes one turn
    /// at a time; its other blocks may run beside it. A queue may have any number of guests.
    ///
    /// - Throws: `systemCall` where the system has no descriptor left.
    public convenience init(attachedTo queue: DispatchQueue, name: String = "queue") throws(LoopError) {
        // Before the queue is touched: libdispatch ends the process where its first thread gets no descriptor.
        try SpareDescriptors.check("the source of a queue's guest")
        try self.init(attachedTo: DispatchHost(queue), name: name)
    }
}
