#if Libevent
    public import ReactiveCore
    // The loop's own members are the engine's: whoever imports this module gets them with it.
    @_exported public import SchedulerEngine

    /// An event loop that waits in libevent: for processes whose C libraries live on an `event_base`.
    ///
    /// `LibeventLoop(name: "io")` owns a thread; `LibeventLoop.main` is run by the main thread; `LibeventLoop(attachedTo: base)` is a
    /// guest of a base that somebody else dispatches. `nativeHandle` is the `event_base *`.
    public typealias LibeventLoop = PollerLoop<LibeventPoller>

    extension PollerLoop where Back == LibeventPoller {
        /// Makes a loop whose turns are taken inside the `event_base_loop` of somebody else's `event_base`.
        ///
        /// On that base's thread, or on any before it runs. What is said of guests holds
        /// (``PollerLoop/init(attachedTo:name:servesMainQueue:)``). The guest is one persistent event, of the default priority:
        /// `event_base_dispatch` does not return for want of events until it is disposed. Dispose it on the base's thread, or from
        /// any other while the base runs. Where the host has freed the base first, dispose the guest after that all the same, on
        /// the thread that freed it: then the base is left alone.
        ///
        /// - Parameters:
        ///   - base: the `event_base *`.
        ///   - name: what messages call it.
        ///   - servesMainQueue: whether `DispatchQueue.main` is served too, where the host's thread is the main one.
        /// - Throws: `alreadyAdopted` where the base has a guest; `badArgument` for a pointer that is nil or not aligned; `systemCall`.
        public convenience init(
            attachedTo base: UnsafeMutableRawPointer?,
            name: String = "libevent guest",
            servesMainQueue: Bool = false
        ) throws(LoopError) {
            try unsafe self.init(attachedTo: LibeventHost(base), name: name, servesMainQueue: servesMainQueue)
        }
    }
#endif
