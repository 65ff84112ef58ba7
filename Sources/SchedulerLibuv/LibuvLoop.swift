#if Libuv
    public import ReactiveCore
    // The loop's own members are the engine's: whoever imports this module gets them with it.
    @_exported public import SchedulerEngine

    /// An event loop that waits in libuv: for processes whose C libraries live on a `uv_loop_t`.
    ///
    /// `LibuvLoop(name: "io")` owns a thread; `LibuvLoop.main` is run by the main thread; `LibuvLoop(attachedTo: loop)` is a guest of a
    /// loop that somebody else runs. `nativeHandle` is the `uv_loop_t *`.
    public typealias LibuvLoop = PollerLoop<LibuvPoller>

    extension PollerLoop where Back == LibuvPoller {
        /// Makes a loop whose turns are taken inside the `uv_run` of somebody else's `uv_loop_t`.
        ///
        /// On that loop's thread, or on any before it runs. What is said of guests holds
        /// (``PollerLoop/init(attachedTo:name:servesMainQueue:)``). The guest is one active `uv_poll_t`: `uv_run` does not return for want of
        /// handles, and `uv_loop_close` says `UV_EBUSY`, until it is disposed and `uv_run` has run its close callback. Dispose
        /// it on the loop's thread, or from any other while the loop runs. A host that has closed all handles itself (`uv_walk`)
        /// disposes it after that all the same, on its thread; until then nobody takes its turns.
        ///
        /// - Parameters:
        ///   - loop: the `uv_loop_t *`, initialised; it has to outlive the guest.
        ///   - name: what messages call it.
        ///   - servesMainQueue: whether `DispatchQueue.main` is served too, where the host's thread is the main one.
        /// - Throws: `alreadyAdopted` where the loop has a guest; `badArgument` for a pointer that is nil or not aligned; `systemCall`.
        public convenience init(
            attachedTo loop: UnsafeMutableRawPointer?,
            name: String = "libuv guest",
            servesMainQueue: Bool = false
        ) throws(LoopError) {
            try unsafe self.init(attachedTo: LibuvHost(loop), name: name, servesMainQueue: servesMainQueue)
        }
    }
#endif
