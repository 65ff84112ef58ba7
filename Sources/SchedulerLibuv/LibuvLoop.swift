// SPDX-License-Identifier: MIT
#if Libuv
    public import ReactiveCore
    // Importers also need the members of the loop, which the engine declares.
    @_exported public import SchedulerEngine

    /// An event loop that waits in libuv, for processes whose C libraries use a `uv_loop_t`.
    ///
    /// - `LibuvLoop(name: "io")` owns a thread.
    /// - `LibuvLoop.main` belongs to the main thread.
    /// - `LibuvLoop(attachedTo: loop)` is a guest: the program runs `uv_run`, and libuv runs the guest's turns.
    ///
    /// `nativeHandle` is the `uv_loop_t *`.
    public typealias LibuvLoop = PollerLoop<LibuvPoller>

    extension PollerLoop where Back == LibuvPoller {
        /// Creates a guest, whose turns run inside the host's `uv_run`.
        ///
        /// Create it on the thread of the host's loop, or on any thread before that loop runs. The rules for guests
        /// apply (`PollerLoop.init(attachedTo:name:servesMainQueue:)`).
        ///
        /// The guest is one active `uv_poll_t`. This handle keeps `uv_run` from returning, and makes `uv_loop_close`
        /// return `UV_EBUSY`, until the guest is disposed and `uv_run` has run the close callback. Dispose the guest on
        /// the thread of the host's loop, or on any other thread while that loop runs. If the host closes all handles
        /// itself (`uv_walk`), the guest runs no more turns. You must still dispose it, on the host's thread.
        ///
        /// - Parameters:
        ///   - loop: The `uv_loop_t *`, initialized. It must outlive the guest.
        ///   - name: The name in messages.
        ///   - servesMainQueue: Whether the guest's turns serve `DispatchQueue.main`, if the host's thread is the main
        ///     one.
        /// - Throws: `alreadyAdopted` if the loop has a guest; `badArgument` if the pointer is nil or not aligned;
        ///   `systemCall` if libuv refuses, or the system has no descriptor or memory left.
        public convenience init(
            attachedTo loop: UnsafeMutableRawPointer?,
            name: String = "libuv guest",
            servesMainQueue: Bool = false
        ) throws(LoopError) {
            try unsafe self.init(attachedTo: LibuvHost(loop), name: name, servesMainQueue: servesMainQueue)
        }
    }
#else
    public import ReactiveCore
    @_exported public import SchedulerEngine

    /// The loop that waits in libuv. It exists only in a build with the trait `Libuv`. Without the trait every use is a
    /// compile-time error.
    @available(
        *,
        unavailable,
        message: "LibuvLoop needs the trait Libuv: .package(url: …, from: …, traits: [\"Libuv\"])"
    )
    public typealias LibuvLoop = PollerLoop<LibuvPoller>

    @available(
        *,
        unavailable,
        message: "LibuvLoop needs the trait Libuv: .package(url: …, from: …, traits: [\"Libuv\"])"
    )
    extension PollerLoop where Back == LibuvPoller {
        /// Creates a guest of a `uv_loop_t`. It exists only in a build with the trait `Libuv`.
        ///
        /// - Throws: Nothing, because it cannot be called.
        public convenience init(
            attachedTo loop: UnsafeMutableRawPointer?,
            name: String = "libuv guest",
            servesMainQueue: Bool = false
        ) throws(LoopError) {
            try self.init(name: name)
        }
    }

    /// The poller that waits in libuv. It is declared without the trait `Libuv` too, so that members of ``LibuvLoop``
    /// have a type. The compiler then reports the missing trait instead of a missing member.
    @available(
        *,
        unavailable,
        message: "LibuvPoller needs the trait Libuv: .package(url: …, from: …, traits: [\"Libuv\"])"
    )
    public struct LibuvPoller: Poller, ~Copyable {
        /// Cannot be called.
        ///
        /// - Throws: Nothing.
        public init() throws(LoopError) {}

        /// Does nothing.
        ///
        /// - Throws: Nothing.
        public mutating func register(_: Int32, _: Readiness, token: UInt64) throws(LoopError) {}

        /// Does nothing.
        ///
        /// - Throws: Nothing.
        public mutating func modify(_: Int32, _: Readiness, token: UInt64) throws(LoopError) {}

        /// Does nothing.
        public mutating func deregister(_: Int32) {}

        /// Does nothing.
        ///
        /// - Throws: Nothing.
        public mutating func wait(
            until: PollDeadline,
            _: (_ token: UInt64, Readiness) -> Void
        ) throws(LoopError) {}
    }
#endif
