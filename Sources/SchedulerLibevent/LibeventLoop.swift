#if Libevent
    // The loop's own members are the engine's: whoever imports this module gets them with it.
    @_exported public import SchedulerEngine

    /// An event loop that waits in libevent: for processes whose C libraries live on an `event_base`.
    ///
    /// `LibeventLoop(name: "io")` owns a thread; `LibeventLoop.main` is run by the main thread. `nativeHandle` is the
    /// `event_base *`.
    public typealias LibeventLoop = PollerLoop<LibeventPoller>
#endif
