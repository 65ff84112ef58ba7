public import Dispatch
public import ReactiveCore
// The loop's own members are the engine's: whoever imports this module gets them with it.
@_exported public import SchedulerEngine

/// An event loop for processes that live with Dispatch: what waits is an epoll set of its own, what Dispatch gives is its
/// queues, its pool and the main queue.
///
/// `DispatchLoop(name: "io")` owns a thread. `DispatchLoop.main` works under its own `run()`, and as a guest under
/// `dispatchMain()` or `RunLoop.main.run()`. `DispatchLoop(on: queue)` is a guest of any queue.
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
    /// What is said of guests holds (``PollerLoop/init(name:guestOf:servesMainQueue:)``), with the queue for the host's thread: `watch`
    /// and its like, and a `dispose()` that takes effect at once, belong on the queue. A concurrent queue takes one turn at a
    /// time; its other blocks may run beside it. Any number of loops may be one queue's guests.
    ///
    /// - Throws: `systemCall` where the system has no descriptor left.
    public convenience init(on queue: DispatchQueue, name: String = "queue") throws(LoopError) {
        // Before the queue is touched: libdispatch ends the process where its first thread gets no descriptor.
        try SpareDescriptors.check("the source of a queue's guest")
        try self.init(name: name, guestOf: DispatchHost(queue))
    }
}
