#if Libuv
    public import ReactiveCore
    // Importers of this module also need the members of the loop, which the engine declares.
    @_exported public import SchedulerEngine

    /// An event loop that waits in libuv, for processes whose C libraries use a `uv_loop_t`.
    ///
    /// `LibuvLoop(name: "io")` owns a thread. `LibuvLoop.main` belongs to the main thread. `LibuvLoop(attachedTo: loop)` is
    /// a guest of a loop that the host runs. `nativeHandle` is the `uv_loop_t *`.
    public typealias LibuvLoop = PollerLoop<LibuvPoller>

    extension PollerLoop where Back == LibuvPoller {
        /// Makes a guest, whose turns run inside the host's `uv_run`.
        ///
        /// Make it on the thread of the host's loop, or on any thread before that loop runs. The rules for guests hold
        /// (`PollerLoop.init(attachedTo:name:servesMainQueue:)`).
        ///
        /// The guest is one active `uv_poll_t`. Until the guest is disposed and `uv_run` has run its close callback, the
        /// handle keeps `uv_run` from returning, and `uv_loop_close` returns `UV_EBUSY`. Dispose the guest on the thread of
        /// the host's loop, or on any other while that loop runs. If the host has closed all handles itself (`uv_walk`),
        /// the guest takes no turns any more; the host must then still dispose it, on its own thread.
        ///
        /// - Parameters:
        ///   - loop: The `uv_loop_t *`, initialized. It must outlive the guest.
        ///   - name: The name in messages.
        ///   - servesMainQueue: Whether the guest's turns serve `DispatchQueue.main`, if the host's thread is the main one.
        /// - Throws: `alreadyAdopted` if the loop has a guest; `badArgument` if the pointer is nil or not aligned;
        ///   `systemCall` if libuv or the system refuses.
        public convenience init(
            attachedTo loop: UnsafeMutableRawPointer?,
            name: String = "libuv guest",
            servesMainQueue: Bool = false
        ) throws(LoopError) {
            try unsafe self.init(attachedTo: LibuvHost(loop), name: name, servesMainQueue: servesMainQueue)
        }
    }
#endif
