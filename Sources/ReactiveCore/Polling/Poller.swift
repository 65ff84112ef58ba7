// SPDX-License-Identifier: MIT
/// A back end of a loop: a set of descriptors, and a way to wait for them. The engine implements everything else.
///
/// The engine is the module `SchedulerEngine`. It owns one poller for each loop, and calls the poller from one thread
/// at a time, never from inside ``wait(until:_:)``. The poller is created on the thread that creates the loop. Another
/// thread may call `wait` and destroy the poller, but never during another call. A descriptor is registered at most
/// once at a time.
///
/// Another thread may close a registered descriptor, and the kernel may reuse its number, before the engine calls
/// ``modify(_:_:token:)`` or ``deregister(_:)``. The engine then calls `modify` for the new descriptor, or `deregister`
/// and ``register(_:_:token:)``. `register` and `modify` must change the kernel's set immediately: at the next wait, the
/// number may be closed or reused.
///
/// A poller knows only the deadline of the current wait. It knows no order, threads or wake-ups. The engine's wake-up
/// is an ordinary descriptor.
///
/// A poller is noncopyable. Its `deinit` releases its resources.
public protocol Poller: ~Copyable, SendableMetatype {
    /// Creates an empty set.
    ///
    /// - Throws: `systemCall` if the system or the library refuses, for example because no descriptor is left.
    init() throws(LoopError)

    /// Adds `descriptor` to the set. Afterwards, ``wait(until:_:)`` reports `token` whenever the descriptor is ready.
    ///
    /// Registrations are level-triggered. A hang-up or an error counts as ready for everything in `interest`. With an
    /// empty interest the descriptor is never reported, not even for hang-ups and errors, and costs nothing (rule N23).
    /// The descriptor's flags stay unchanged (rule N1).
    ///
    /// - Parameters:
    ///   - descriptor: A descriptor that is not registered.
    ///   - interest: The readiness to report.
    ///   - token: Identifies the registration in the reports.
    /// - Throws: `badDescriptor` with `EBADF` if the number is not open, or with `EPERM` if the system cannot wait for
    ///   its kind; `systemCall` otherwise. After an error the set is unchanged.
    mutating func register(_ descriptor: Int32, _ interest: Readiness, token: UInt64) throws(LoopError)

    /// Changes the interest and the token of a registered descriptor, and passes the descriptor to the kernel again, even
    /// if both are unchanged.
    ///
    /// The number may have been closed and reused since it was registered. The kernel has then dropped the registration:
    /// `EPOLL_CTL_MOD` fails with `ENOENT`, and the poller adds the new descriptor.
    ///
    /// - Throws: The errors of ``register(_:_:token:)``. After an error the registration is unchanged.
    mutating func modify(_ descriptor: Int32, _ interest: Readiness, token: UInt64) throws(LoopError)

    /// Removes a registered descriptor, even if it has been closed. No later ``wait(until:_:)`` reports it. Afterwards
    /// another descriptor may be registered with the same number.
    mutating func deregister(_ descriptor: Int32)

    /// Waits until a descriptor is ready or the deadline is reached, whichever comes first, then reports one batch.
    ///
    /// It calls `ready` for each ready descriptor before it returns. `ready` runs no user code. A poller may report a
    /// descriptor twice in a batch, once for each kind of readiness, if the two reports follow each other directly. The
    /// engine then calls the descriptor's watches once.
    ///
    /// If more than 24 descriptors are ready, a batch may contain only some of them, and the next waits report the others
    /// before any descriptor again (rule S9). A buffer that begins with 24 must grow to at least 100.
    ///
    /// Without a deadline, the thread sleeps until a descriptor is ready (rule X10). A process signal may interrupt the
    /// wait. The poller then returns without an error (rule G6).
    ///
    /// - Throws: `systemCall` if waiting is impossible. The loop's run then throws that error.
    mutating func wait(until deadline: PollDeadline, _ ready: (_ token: UInt64, Readiness) -> Void) throws(LoopError)

    /// The library's own loop (`uv_loop_t *`, `event_base *`), to which C code may add its handles. `nil` means that
    /// the back end has no such loop.
    var nativeHandle: UnsafeMutableRawPointer? { get }

    /// A descriptor that is readable whenever `wait` has something to report, such as an epoll set. `nil` means that
    /// the back end has none.
    ///
    /// Only `DispatchLoop.main` needs it: while that loop does not run, the main queue watches this descriptor. A guest,
    /// which is a loop that runs on another library's loop, waits with an epoll set instead of this poller.
    var pollDescriptor: Int32? { get }
}

extension Poller where Self: ~Copyable {
    /// The default is `nil`: the back end uses no library's loop.
    public var nativeHandle: UnsafeMutableRawPointer? { nil }

    /// The default is `nil`: the back end has no descriptor to watch.
    public var pollDescriptor: Int32? { nil }
}
