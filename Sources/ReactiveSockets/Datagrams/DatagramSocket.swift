public import ReactiveCore
public import ReactiveSignals
import ReactiveSupport

/// A socket of datagrams, UDP or Unix, as signals: `socket.send(from: socket.received)` is an echo.
///
/// Everything is delivered on the socket's loop; every member may be used from any thread. Datagrams may be lost, doubled and
/// overtaken on their way; what arrives is whole. The socket ends with ``close()``, and when nobody refers to it, receives
/// from it or sends through it. With its loop it ends at once, and nobody is told: there is no loop left to tell it on.
public final class DatagramSocket: Sendable {
    /// The loop that everything is delivered on.
    public let loop: any LoopScheduler
    /// The address of this end; where port 0 was asked for, the port that the system has picked.
    public let localAddress: SocketAddress
    /// The peer that it is connected to, if it is.
    public let remoteAddress: SocketAddress?

    let core: UnsafeTransfer<DatagramCore>

    private init(
        _ descriptor: DatagramDescriptor,
        _ remote: SocketAddress?,
        _ loop: any LoopScheduler,
        _ maximumSize: Int,
        _ watermarks: Watermarks
    ) {
        self.loop = loop
        localAddress = descriptor.socket.localAddress ?? SocketAddress(family: .unix, bytes: [])
        remoteAddress = remote
        core = UnsafeTransfer(DatagramCore(descriptor, loop, localAddress, remote, max(1, maximumSize), watermarks))
    }

    /// Opens one at `address`, which anybody may send to. Any thread; the system is asked at once.
    ///
    /// The socket file of a Unix server that has died is replaced, one in use is not; the file goes with the socket (N17).
    ///
    /// - Parameters:
    ///   - address: where; port 0 asks the system to pick one.
    ///   - loop: where everything is delivered.
    ///   - options: set before the address is taken.
    ///   - maximumSize: how many bytes of a datagram are taken; what is longer is cut off and says so. Less than 1 counts as 1.
    ///   - watermarks: how much waits to be sent before ``send(from:)`` holds its source back.
    /// - Throws: `addressInUse`, `addressNotAvailable`, `permissionDenied`, `noSuchPath`, `outOfDescriptors` or `systemCall`,
    ///   with the address in its text. Nothing is left behind.
    public convenience init(
        on address: SocketAddress,
        loop: any LoopScheduler,
        options: [SocketSetting] = [],
        maximumSize: Int = 65536,
        watermarks: Watermarks = Watermarks()
    ) throws(SocketError) {
        let made = try DatagramDescriptor(on: address, options: options)
        self.init(made, nil, loop, maximumSize, watermarks)
    }

    /// Opens one that is connected to `peer`: it sends there unless told otherwise, and receives from there only. Any
    /// thread; the system is asked at once, and so is nobody else: whether there is anyone shows later, in ``errors``.
    ///
    /// - Parameters:
    ///   - peer: whom it is connected to.
    ///   - local: its own address. The system picks one; a Unix socket without one has no name that could be answered to.
    ///   - loop: where everything is delivered.
    ///   - options: set before the address is taken.
    ///   - maximumSize: how many bytes of a datagram are taken; what is longer is cut off and says so. Less than 1 counts as 1.
    ///   - watermarks: how much waits to be sent before ``send(from:)`` holds its source back.
    /// - Throws: as ``init(on:loop:options:maximumSize:watermarks:)`` does, and `unreachable`; for a Unix socket that is not
    ///   there `noSuchPath` or `refused`.
    public convenience init(
        to peer: SocketAddress,
        from local: SocketAddress? = nil,
        loop: any LoopScheduler,
        options: [SocketSetting] = [],
        maximumSize: Int = 65536,
        watermarks: Watermarks = Watermarks()
    ) throws(SocketError) {
        let made = try DatagramDescriptor(to: peer, from: local, options: options)
        self.init(made, peer, loop, maximumSize, watermarks)
    }

    /// Takes over a datagram socket that somebody else has made: one of a socket pair, one handed down.
    ///
    /// It is this one's from here on, and closed by it; it is made not to block and not to be inherited. A Unix socket's file
    /// stays when it is closed.
    ///
    /// - Throws: `badDescriptor` where it is no descriptor or no datagram socket; it stays the caller's then.
    public convenience init(
        adopting descriptor: Int32,
        loop: any LoopScheduler,
        maximumSize: Int = 65536,
        watermarks: Watermarks = Watermarks()
    ) throws(SocketError) {
        let socket = try SystemSocket.adopting(descriptor, .datagram)
        self.init(DatagramDescriptor(socket: socket), socket.remoteAddress, loop, maximumSize, watermarks)
    }

    // MARK: Receiving

    /// What comes, one value for each datagram, the empty ones too; it ends with ``close()`` only.
    ///
    /// Receiving starts with the subscription and waits while it is paused: then datagrams wait in the kernel, and what does
    /// not fit there is lost (law 11). At most 32 are read in a turn (rule S9). What the network reports meanwhile does not
    /// end it, see ``errors``. One observer at a time: a second one fails with `alreadyReceiving`. After ``close()`` it fails
    /// with `closed`, on a loop that has been disposed with `loop`.
    public var received: Signal<Datagram, SocketError> {
        let (core, loop) = (core, loop)
        return Signal { emitter, subscription in
            if let over = loop.overError { return emitter.fail(over) }
            subscription.onFlowChange { _ in
                loop.runOrExecute { core.value.receivingFlowChanged(subscription) }
            }
            loop.runOrExecute { core.value.startReceiving(emitter, subscription) }
            subscription.onDispose {
                loop.runOrExecute { core.value.stopReceiving(subscription) }
            }
        }
    }

    /// What the network reports of datagrams that were sent earlier: `refused` where nobody listens, `unreachable`, … (rule
    /// N18). None of it ends the socket.
    ///
    /// The system has such reports for connected sockets, and hands each over once: to whoever receives, or to the next to
    /// send. What ``send(from:)`` could not send is told here too. It completes with the socket's end.
    public var errors: Signal<SocketError, Never> {
        loop.isDisposed ? .empty : core.value.errors.signal
    }

    // MARK: Sending

    /// Sends a datagram to `peer`, after everything sent before. It starts at once; while the kernel takes no more it waits.
    ///
    /// The result may be let go of. It completes when the kernel has the datagram, which says nothing of its arrival. It
    /// fails where the kernel refuses it, and the socket goes on: `messageTooLarge`, `unreachable`, `permissionDenied` (a
    /// broadcast without the option), `refused` and `noSuchPath` of Unix sockets; `closed` after ``close()``. A Unix peer that
    /// does not read holds up what is sent after it, to others too.
    @discardableResult
    public func send(_ bytes: Bytes, to peer: SocketAddress) -> Signal<Never, SocketError> {
        send(Datagram(bytes, to: peer))
    }

    /// Sends a datagram to the peer that the socket is connected to; the same as ``send(_:to:)`` else. Where it is not
    /// connected it fails with `invalidAddress`.
    @discardableResult
    public func send(_ bytes: Bytes) -> Signal<Never, SocketError> {
        send(Datagram(bytes))
    }

    /// Sends everything that `source` sends, each to its own `peer`: what was received goes back to who sent it.
    ///
    /// It starts at once, and holds `source` back while more than the high watermark is waiting; a datagram counts for at
    /// least 256 bytes. What the kernel refuses is told by ``errors``, and the next one is sent. The result may be let go of;
    /// it completes when the kernel has been given everything, and fails with `closed` when the socket ends before, or with
    /// what `source` fails with: `sourceFailed`, unless that is a `SocketError`. The socket stays open after either.
    @discardableResult
    public func send<Failure: Error>(from source: Signal<Datagram, Failure>) -> Signal<Never, SocketError> {
        if let over = loop.overError { return .fail(over) }
        return DatagramCore.write(source, to: core, on: loop)
    }

    private func send(_ datagram: Datagram) -> Signal<Never, SocketError> {
        let ticket = UnsafeTransfer(DatagramTicket())
        let (core, loop) = (core, loop)
        loop.runOrExecute { core.value.send(datagram) { ticket.value.end($0) } }
        return Signal { emitter, _ in
            if let over = loop.overError { return emitter.fail(over) }
            loop.runOrExecute { ticket.value.tell(emitter) }
        }
    }

    // MARK: Settings

    /// Sets an option: `try socket.setOption(SocketOption.broadcast(true))`. On the socket's loop only.
    ///
    /// - Throws: `closed` after the end; `loop` on another thread; `systemCall` where the system refuses.
    public func setOption(_ setting: SocketSetting) throws(SocketError) {
        try openSocket().apply(setting)
    }

    /// What an option is set to: `try socket.option(.receiveBufferSize)`. On the socket's loop only.
    ///
    /// - Throws: as ``setOption(_:)`` does.
    public func option<Value>(_ option: SocketOption<Value>) throws(SocketError) -> Value {
        try openSocket().value(of: option)
    }

    // Off the loop the descriptor could be closed, and its number be somebody else's, in between.
    private func openSocket() throws(SocketError) -> SystemSocket {
        guard loop.isCurrent else {
            throw SocketError(.loop, "a socket's options are set and read in work of its loop, \(loop.name)")
        }
        guard core.value.isOpen else { throw core.value.closedError }
        return core.value.socket
    }

    // MARK: Ending

    /// Ends the socket: ``received`` fails with `closed`, ``errors`` completes. Twice is once.
    ///
    /// What the kernel has not taken yet still goes out, for two seconds at most (rule N14).
    public func close() {
        loop.runOrExecute { [core] in core.value.close() }
    }
}
