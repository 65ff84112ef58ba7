// SPDX-License-Identifier: MIT
#if Libevent
    public import ReactiveCore
    // Importers also need the members of the loop, which the engine declares.
    @_exported public import SchedulerEngine

    /// An event loop that waits in libevent, for processes whose C libraries use an `event_base`.
    ///
    /// - `LibeventLoop(name: "io")` owns a thread.
    /// - `LibeventLoop.main` belongs to the main thread.
    /// - `LibeventLoop(attachedTo: base)` is a guest: the program dispatches the base, and libevent runs the guest's
    ///   turns.
    ///
    /// `nativeHandle` is the `event_base *`.
    public typealias LibeventLoop = PollerLoop<LibeventPoller>

    extension PollerLoop where Back == LibeventPoller {
        /// Creates a guest, whose turns run inside the host's `event_base_loop`.
        ///
        /// Create it on the thread of the host's base, or on any thread before the base runs. The rules for guests
        /// apply (`PollerLoop.init(attachedTo:name:servesMainQueue:)`).
        ///
        /// The guest is one persistent event with the default priority. This event keeps `event_base_dispatch` from
        /// returning until the guest is disposed. Dispose the guest on the thread of the base, or on any other thread
        /// while the base runs. If the host frees the base first, dispose the guest afterwards, on the thread that
        /// freed the base. That disposal does not access the base.
        ///
        /// - Parameters:
        ///   - base: The `event_base *`, initialized.
        ///   - name: The name in messages.
        ///   - servesMainQueue: Whether the guest's turns serve `DispatchQueue.main`, if the host's thread is the main
        ///     one.
        /// - Throws: `alreadyAdopted` if the base has a guest; `badArgument` if the pointer is nil or not aligned;
        ///   `systemCall` if libevent refuses, or the system has no descriptor or memory left.
        public convenience init(
            attachedTo base: UnsafeMutableRawPointer?,
            name: String = "libevent guest",
            servesMainQueue: Bool = false
        ) throws(LoopError) {
            try unsafe self.init(attachedTo: LibeventHost(base), name: name, servesMainQueue: servesMainQueue)
        }
    }
#else
    public import ReactiveCore
    @_exported public import SchedulerEngine

    /// The loop that waits in libevent. It exists only in a build with the trait `Libevent`. Without the trait every
    /// use is a compile-time error.
    @available(
        *,
        unavailable,
        message: "LibeventLoop needs the trait Libevent: .package(url: …, from: …, traits: [\"Libevent\"])"
    )
    public typealias LibeventLoop = PollerLoop<LibeventPoller>

    @available(
        *,
        unavailable,
        message: "LibeventLoop needs the trait Libevent: .package(url: …, from: …, traits: [\"Libevent\"])"
    )
    extension PollerLoop where Back == LibeventPoller {
        /// Creates a guest of an `event_base`. It exists only in a build with the trait `Libevent`.
        ///
        /// - Throws: Nothing, because it cannot be called.
        public convenience init(
            attachedTo base: UnsafeMutableRawPointer?,
            name: String = "libevent guest",
            servesMainQueue: Bool = false
        ) throws(LoopError) {
            try self.init(name: name)
        }
    }

    /// The poller that waits in libevent. It is declared without the trait `Libevent` too, so that members of
    /// ``LibeventLoop`` have a type. The compiler then reports the missing trait instead of a missing member.
    @available(
        *,
        unavailable,
        message: "LibeventPoller needs the trait Libevent: .package(url: …, from: …, traits: [\"Libevent\"])"
    )
    public struct LibeventPoller: Poller, ~Copyable {
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
