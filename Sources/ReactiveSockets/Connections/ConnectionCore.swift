// SPDX-License-Identifier: MIT
import CReactive
import ReactiveCore
import ReactiveSignals
import ReactiveSupport
import Synchronization

/// The state of a connection. Every member except `deinit` is called on the loop, unless its comment says otherwise.
///
/// `ConnectionPhase`, `ReceivingState` and `SendingState` store the state and decide each transition. The extensions of
/// this class ask these types what to do, perform the system calls, and record the outcomes. While the connection receives
/// or bytes wait to be sent, its watch retains it.
final class ConnectionCore: LoopBound, DescriptorOwner {
    // Every idle connection has one of these objects, so rarely used state is in `extras`. Each message needs the
    // fields up to `receivedTotal`. They are adjacent, because with many connections each additional cache line is a
    // cache miss.
    let socket: SystemSocket
    /// Whether there is a transformer. Reading this is cheaper than looking in `extras`.
    private(set) var isTransformed: Bool
    // Safe: the methods of these states call no other code, so accesses cannot overlap. A run-time check would cost
    // more than the changes do.
    @safe @exclusivity(unchecked)
    var receiving = ReceivingState()
    let context: ConnectionContext
    /// The two parts of the `Reader`. They are separate fields, so that reading one does not retain the other.
    private(set) var sink: Sink<Bytes, SocketError>?
    private(set) var subscription: SignalSubscription?
    @safe @exclusivity(unchecked)
    var phase = ConnectionPhase.established
    @safe @exclusivity(unchecked)
    var sending = SendingState()
    /// The value of `isWritable`, as a `Writability.Level`. Any thread may read it.
    let reportedWritability = Atomic<UInt8>(Writability.Level.writable)
    /// How `watch` refers to this object.
    var watchKind = WatchKind.retaining
    /// Whether the subscriber of `received` answers the peer, although `send(from:)` does not show it.
    var answersPeer = false
    /// The waiting bytes, and the observers that wait for them to be sent.
    var backlog: SendBacklog?
    var receivedTotal = 0

    let remote: SocketAddress?
    let id = ConnectionCore.nextID()
    var watch: (any DescriptorWatch)?
    // Safe: accesses read or replace the reference.
    @safe @exclusivity(unchecked)
    var extras: ConnectionExtras?
    /// The first signal that is being sent. The others are in `extras`.
    var firstSend: SourceSubscription?
    /// The first observer of the closing of the descriptor. The others are in `extras`.
    @safe @exclusivity(unchecked)
    var firstCloseObserver: CloseObserver?
    /// The property of `isWritable`, created on first use. Any thread may read it.
    let writability = LazyReference<Writability>()

    init(
        _ socket: SystemSocket,
        _ context: ConnectionContext,
        _ remote: SocketAddress?,
        _ transformer: (any ConnectionTransformer)?
    ) {
        self.socket = socket
        self.context = context
        self.remote = remote
        isTransformed = transformer != nil
        reactive_memory_taken(Self.estimatedMemory)
        if let transformer { ensureExtras().setTransformer(transformer) }
    }

    /// The memory that a connection and the objects of its protocol may occupy, apart from long slabs. The number
    /// decides after how many connections the heap is trimmed (Decision 0073).
    private static let estimatedMemory = 256 * 1024

    deinit {
        reactive_memory_freed(Self.estimatedMemory)
        guard isOpen else { return }
        // Otherwise the repeating timers would fire until the loop is disposed.
        extras?.timing?.stop()
        extras?.halfClosed?.stop()
        extras?.file?.remove()
        closeWithWatch()
        notifyCloseObserversOfRelease()
    }

    /// Closes the descriptor when the loop has removed the watch: it could not do so after the close if there is a
    /// duplicate. Only the watch of a connection that neither receives nor sends can be left.
    private func closeWithWatch() {
        guard let watch else { return socket.close() }
        let closing = UnsafeTransfer(ClosingDescriptor(watch, socket))
        if isOnLoop { return closing.value.close() }
        // A disposed loop releases the job without running it.
        loop.execute { closing.value.close() }
    }

    var loop: any LoopScheduler { context.loop }

    /// Sets the transformer of a connection that has none.
    func beginTransforming(_ transformer: any ConnectionTransformer) {
        ensureExtras().setTransformer(transformer)
        isTransformed = true
    }

    /// Whether the caller is on the loop. Safe without a retain: `context` is constant, and this object retains it.
    @inline(__always)
    var isOnLoop: Bool {
        unsafe Unmanaged.passUnretained(context)._withUnsafeGuaranteedRef { context in context.isCurrent }
    }

    var watermarks: Watermarks { context.watermarks }

    /// Whether the descriptor is open.
    @inline(__always)
    var isOpen: Bool { phase.isOpen }

    /// The extras, created if there are none.
    func ensureExtras() -> ConnectionExtras {
        if let extras { return extras }
        let made = ConnectionExtras()
        extras = made
        return made
    }

    /// The backlog, created if there is none.
    var neededBacklog: SendBacklog {
        if let backlog { return backlog }
        let made = SendBacklog()
        backlog = made
        return made
    }

    /// The number of bytes that the connection has accepted for sending so far, including dropped ones.
    var acceptedTotal: Int { sending.accepted + (isOpen ? 0 : extras?.ending?.droppedCount ?? 0) }

    /// The error that later sends and receivers fail with, or nil.
    var refusal: SocketError? { extras?.ending?.refusal }

    /// The error of a send that is refused.
    var refusalError: SocketError {
        refusal ?? SocketError(.closed, "cannot send to \(peer): this side has ended sending")
    }

    /// The peer's name in error messages.
    var peer: String { remote?.description ?? "a peer without an address" }

    // MARK: The reader

    func setReader(_ reader: Reader) {
        (sink, subscription) = (reader.sink, reader.subscription)
    }

    /// Removes the reader. The caller terminates or releases it once the state is consistent.
    func takeReader() -> Reader? {
        defer { (sink, subscription) = (nil, nil) }
        guard let sink, let subscription else { return nil }
        return Reader(sink: sink, subscription: subscription)
    }
}
