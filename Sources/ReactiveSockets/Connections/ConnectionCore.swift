import ReactiveCore
import ReactiveSignals
import ReactiveSupport
import Synchronization

/// The state of a connection, and what the system calls make of it. It belongs to the loop: every member is called there, except `deinit`.
///
/// ``ConnectionPhase``, ``ReceivingState`` and ``SendingState`` decide. The extensions of this class ask them, perform the system calls,
/// and report the outcomes to them. While the connection is watched, the watch retains it; otherwise only its users do.
final class ConnectionCore: LoopBound, DescriptorOwner {
    // An idle connection needs one of these: rare state is in `extras`. The fields up to `receivedTotal` are those that each message
    // needs. They are adjacent, because with a thousand connections each cache line is a miss.
    let socket: SystemSocket
    /// Whether there is a transformer. Looking for it in `extras` would cost more.
    let isTransformed: Bool
    // The states call nothing while they change, so no access can overlap another one. The check at run time would cost more than they do.
    @safe @exclusivity(unchecked)
    var receiving = ReceivingState()
    let context: ConnectionContext
    /// The reader: a ``Reader`` in two parts, so that looking at one does not retain the other.
    private(set) var sink: Sink<Bytes, SocketError>?
    private(set) var subscription: SignalSubscription?
    @safe @exclusivity(unchecked)
    var phase = ConnectionPhase.established
    @safe @exclusivity(unchecked)
    var sending = SendingState()
    /// The value of `isWritable`, for any thread. The states leave room for it here.
    let reportedWritability = Atomic<UInt8>(Writability.Level.writable)
    /// The bytes that wait, and the observers that wait until they have been sent.
    var backlog: SendBacklog?
    var receivedTotal = 0

    let remote: SocketAddress?
    var watch: (any DescriptorWatch)?
    var extras: ConnectionExtras?
    /// A signal that is being sent. The others are in `extras`.
    var firstSend: SourceSubscription?
    /// An observer of the closing of the descriptor. The others are in `extras`.
    var firstCloseObserver: CloseObserver?
    /// The property of `isWritable`, created on first use. For any thread.
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
        if let transformer { neededExtras.transformer = transformer }
    }

    deinit {
        // There is no watch, or the loop has been disposed and has released its watches: nothing else uses the descriptor.
        guard isOpen else { return }
        extras?.file?.remove()
        socket.close()
    }

    var loop: any LoopScheduler { context.loop }

    var watermarks: Watermarks { context.watermarks }

    /// Whether the descriptor is open.
    @inline(__always)
    var isOpen: Bool { phase.isOpen }

    /// The extras, created if there are none.
    var neededExtras: ConnectionExtras {
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

    /// How many bytes have been accepted since the beginning.
    var acceptedTotal: Int { sending.accepted + (isOpen ? 0 : extras?.droppedCount ?? 0) }

    /// Why the connection failed; nil if it has not.
    var failure: SocketError? { extras?.failure }

    /// The error of a send that is not accepted.
    var refusalError: SocketError {
        failure ?? SocketError(.closed, "sending to \(peer) has been ended here")
    }

    /// The peer's name in messages.
    var peer: String { remote?.description ?? "a peer without an address" }

    // MARK: The reader

    func setReader(_ reader: Reader) {
        (sink, subscription) = (reader.sink, reader.subscription)
    }

    /// Removes the reader. The caller terminates or releases it when the state is consistent.
    func takeReader() -> Reader? {
        defer { (sink, subscription) = (nil, nil) }
        guard let sink, let subscription else { return nil }
        return Reader(sink: sink, subscription: subscription)
    }
}
