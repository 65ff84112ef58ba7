// SPDX-License-Identifier: MIT
/// A back end of a loop: a set of descriptors, and a way to wait for them. The engine implements everything else.
///
/// The engine owns one poller for each loop and calls it from one thread at a time, never from inside
/// ``wait(until:_:)``. It creates the poller on the thread that creates the loop, may wait on another one, and destroys
/// it while no call is running. It registers a descriptor at most once at a time.
///
/// A registered descriptor may have been closed by another thread, and its number may be in use again, when the engine
/// calls ``modify(_:_:token:)`` or ``deregister(_:)``. The engine deregisters a number before it registers the next
/// descriptor that has it. So a poller asks the kernel at once, within `register` and `modify`, and not at the next
/// wait.
///
/// It knows one deadline, that of the current wait, and no order, threads or wake-ups. The engine's wake-up is a
/// descriptor like any other.
///
/// A poller is noncopyable. Its `deinit` releases its resources.
public protocol Poller: ~Copyable, SendableMetatype {
    /// Creates an empty set.
    ///
    /// - Throws: `systemCall` if the system or the library refuses, for example because no descriptor is left.
    init() throws(LoopError)

    /// Adds `descriptor` to the set. From then on ``wait(until:_:)`` reports `token` whenever the descriptor is ready.
    ///
    /// Registrations are level-triggered. A hang-up or an error counts as ready for everything in `interest`. With an
    /// empty interest the descriptor is never reported, not even for hang-ups and errors, and costs nothing (rule N23).
    ///
    /// - Parameters:
    ///   - descriptor: A descriptor that is not registered.
    ///   - interest: The readiness to report.
    ///   - token: Identifies the registration in the reports.
    /// - Throws: `badDescriptor` with `EBADF` if the number is not open, or with `EPERM` if the system cannot wait for
    ///   its kind; `systemCall` otherwise. After an error the set is unchanged.
    mutating func register(_ descriptor: Int32, _ interest: Readiness, token: UInt64) throws(LoopError)

    /// Changes the interest and the token of a registered descriptor.
    ///
    /// - Throws: The errors of ``register(_:_:token:)``. After an error the registration is unchanged.
    mutating func modify(_ descriptor: Int32, _ interest: Readiness, token: UInt64) throws(LoopError)

    /// Removes a registered descriptor, also one that has been closed. No later ``wait(until:_:)`` reports it. After
    /// the call another descriptor may be registered with the same number.
    mutating func deregister(_ descriptor: Int32)

    /// Waits until a descriptor is ready or the deadline is reached, whichever comes first, then reports one batch.
    ///
    /// It calls `ready` for each ready descriptor before it returns. `ready` runs no user code. A descriptor may be
    /// reported twice in a batch, once for each kind of readiness, if one report directly follows the other: its
    /// watches are then called once. A signal that interrupts the wait may end it early, and is no error (rule G6).
    ///
    /// - Throws: `systemCall` if waiting is impossible. The loop's run then ends with that error.
    mutating func wait(until deadline: PollDeadline, _ ready: (_ token: UInt64, Readiness) -> Void) throws(LoopError)

    /// The library's own loop (`uv_loop_t *`, `event_base *`), on which C code may put its handles. Nil if there is
    /// none.
    var nativeHandle: UnsafeMutableRawPointer? { get }

    /// A descriptor that is readable whenever `wait` has something to report, such as an epoll set. A host loop watches
    /// it for a guest. Nil if the back end has none.
    var pollDescriptor: Int32? { get }
}

extension Poller where Self: ~Copyable {
    /// Nil: the back end has no loop of a library, unless it implements this property.
    public var nativeHandle: UnsafeMutableRawPointer? { nil }

    /// Nil: the loop cannot be a guest, unless the back end implements this property.
    public var pollDescriptor: Int32? { nil }
}
