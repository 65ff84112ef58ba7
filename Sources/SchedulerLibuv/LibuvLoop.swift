#if Libuv
    // The loop's own members are the engine's: whoever imports this module gets them with it.
    @_exported public import SchedulerEngine

    /// An event loop that waits in libuv: for processes whose C libraries live on a `uv_loop_t`.
    ///
    /// `LibuvLoop(name: "io")` owns a thread; `LibuvLoop.main` is run by the main thread. `nativeHandle` is the `uv_loop_t *`.
    public typealias LibuvLoop = PollerLoop<LibuvPoller>
#endif
