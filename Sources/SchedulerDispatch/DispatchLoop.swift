// The loop's own members are the engine's: whoever imports this module gets them with it.
@_exported public import SchedulerEngine

/// An event loop for processes that live with Dispatch: what waits is an epoll set of its own, what Dispatch gives is its
/// queues, its pool and the main queue.
///
/// `DispatchLoop(name: "io")` owns a thread. `DispatchLoop.main` works under its own `run()`, and as a guest under
/// `dispatchMain()` or `RunLoop.main.run()`.
public typealias DispatchLoop = PollerLoop<DispatchPoller>

extension PollerLoop where Back == DispatchPoller {
    /// The loop of the process's main thread, made at first use.
    ///
    /// While nobody runs it, it is a guest of the main queue: whoever serves that queue (`dispatchMain()`,
    /// `RunLoop.main.run()`, the `run` of another main loop) serves this one. Its own `run()` is the faster way, and serves the
    /// main queue in turn.
    public static var main: DispatchLoop {
        mainLoop { loop in DispatchHost(loop) }
    }
}
