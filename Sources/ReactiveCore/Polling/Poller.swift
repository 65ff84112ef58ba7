/// What a back end writes: a set of descriptors, and a way to wait for them. Everything else is the engine's.
///
/// The engine owns one poller for each loop and calls it from one thread at a time, never from inside ``wait(until:_:)``.
/// It creates the poller on the thread that makes the loop, may wait on another one, and destroys it when no call is under
/// way. A poller holds at most one registration for a descriptor.
///
/// A registered descriptor may have been closed by another thread, and its number may be in use again, when the engine calls
/// ``modify(_:_:token:)`` or ``deregister(_:)``. The engine deregisters a number before it registers the next descriptor
/// that has it. So a poller asks the kernel at once, within `register` and `modify`, and not at the next wait.
///
/// It knows one deadline, that of the current wait, and no order, threads or wake-ups. The engine's wake-up is a
/// descriptor like any other.
///
/// A poller is noncopyable; its `deinit` gives back what it holds.
public protocol Poller: ~Copyable, SendableMetatype {
    /// Makes an empty set.
    ///
    /// - Throws: `systemCall` where the system gives no more.
    init() throws(LoopError)

    /// Adds `descriptor` to the set; while `interest` is not empty, `wait` reports `token` with what it is ready for.
    ///
    /// Level-triggered. A hang-up or an error counts as ready for everything in `interest`. With an empty interest nothing
    /// is reported, hang-ups and errors included, and nothing is spent on the descriptor.
    ///
    /// - Throws: `badDescriptor` with `EBADF` where the number is not open, with `EPERM` where the system cannot wait for
    ///   its kind; `systemCall` otherwise. The set is then as before.
    mutating func register(_ descriptor: Int32, _ interest: Readiness, token: UInt64) throws(LoopError)

    /// Changes the interest and the token of a registered descriptor.
    ///
    /// - Throws: as `register` does. The registration is then as before.
    mutating func modify(_ descriptor: Int32, _ interest: Readiness, token: UInt64) throws(LoopError)

    /// Removes a registered descriptor, also one that is closed already. Nothing is reported for it by any later `wait`, and
    /// its number may belong to another descriptor on return.
    mutating func deregister(_ descriptor: Int32)

    /// Waits until a descriptor is ready or the deadline is reached, whichever comes first, then reports one batch.
    ///
    /// `ready` is called for each descriptor of the batch before `wait` returns; it runs no user code. Reporting a
    /// descriptor twice in a batch, once for each kind of readiness, is legal where the second follows the first at once:
    /// then its watches are called once. Being interrupted by a signal ends the wait
    /// early and is no error (rule G6).
    ///
    /// - Throws: `systemCall` where waiting itself is impossible; the loop's run ends with that error.
    mutating func wait(until deadline: PollDeadline, _ ready: (_ token: UInt64, Readiness) -> Void) throws(LoopError)

    /// The library's own loop (`uv_loop_t *`, `event_base *`), for C code that puts its handles on it; nil if there is none.
    var nativeHandle: UnsafeMutableRawPointer? { get }

    /// A descriptor that is readable whenever `wait` would report something, if the back end has one (an epoll set); it
    /// lets another loop wait for this one.
    var pollDescriptor: Int32? { get }
}

extension Poller where Self: ~Copyable {
    /// None, unless the back end says otherwise.
    public var nativeHandle: UnsafeMutableRawPointer? { nil }

    /// None, unless the back end says otherwise.
    public var pollDescriptor: Int32? { nil }
}
