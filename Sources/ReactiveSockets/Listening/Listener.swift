// SPDX-License-Identifier: MIT
public import ReactiveCore
public import ReactiveSignals
import ReactiveSupport

/// A socket that accepts connections.
///
/// It listens as soon as it is created. The kernel queues peers until ``connections`` has a subscriber. The socket
/// closes after ``close()``, or when the listener has no references and no subscriber. Any thread may use every member.
///
/// Disposing the loop closes the socket and ends ``connections`` without notifying the subscriber. If ``connections``
/// has no subscriber at that time, the socket stays open until the last reference is released. So release the listener
/// when you dispose its loop.
public final class Listener: Sendable {
    /// The loop that delivers the connections, and to which they belong.
    public let loop: any LoopScheduler
    /// The local address. If port 0 was requested, it has the port that the system picked.
    public let localAddress: SocketAddress

    let core: UnsafeTransfer<ListenerCore>

    /// Listens on `address`. Any thread may call this initializer. The socket listens when it returns.
    ///
    /// `SO_REUSEADDR` is set, so a server can restart immediately (rule N6). Connections have `TCP_NODELAY` (rule N20).
    /// A Unix server replaces the file of a dead server, but never one that is in use (rules N17, N25). Closing the
    /// listener removes the file.
    ///
    /// - Parameters:
    ///   - address: The local address. Port 0 asks the system to pick a port.
    ///   - loop: The loop that delivers the connections, and to which they belong.
    ///   - backlog: The maximum number of peers that the kernel queues. The kernel caps it at `net.core.somaxconn`
    ///     (listen(2)).
    ///   - options: Options of the listening socket, which are set before binding. Connections inherit them.
    ///   - watermarks: The watermarks of each connection.
    ///   - transformer: Creates the transformer of each connection (``ConnectionTransformer``). It is called on `loop`.
    ///     `nil` means none.
    ///   - proxies: The proxies that connect. Each names its client with the PROXY protocol. `nil` means that the peers
    ///     are the clients.
    /// - Throws: `addressInUse`, `addressNotAvailable`, `permissionDenied`, `noSuchPath`, `outOfDescriptors` or
    ///   `systemCall` if the system refuses (bind(2), listen(2)). The message names the address, and no socket or file
    ///   is left behind. `loop` if the loop has been disposed.
    public convenience init(
        on address: SocketAddress,
        loop: any LoopScheduler,
        backlog: Int32 = 4096,
        options: [SocketSetting] = [],
        watermarks: Watermarks = Watermarks(),
        transformer: (@Sendable () -> any ConnectionTransformer)? = nil,
        proxies: TrustedProxies? = nil
    ) throws(SocketError) {
        let template = ListenerCore.Template(watermarks: watermarks, transformer: transformer, proxies: proxies)
        try self.init(on: address, loop: loop, backlog: backlog, options: options, template: template)
    }

    convenience init(
        on address: SocketAddress,
        loop: any LoopScheduler,
        backlog: Int32,
        options: [SocketSetting],
        template: ListenerCore.Template
    ) throws(SocketError) {
        if let error = loop.refusal(as: SocketError.self) { throw error }
        self.init(try BoundSocket(on: address, backlog: backlog, options: options), on: loop, template)
    }

    /// Takes ownership of a listening socket, such as one that a service manager passes (rule N21).
    ///
    /// The initializer sets the descriptor to non-blocking and close-on-exec. The listener closes it. Closing does not
    /// remove the file of a Unix socket.
    ///
    /// - Parameters:
    ///   - descriptor: The open descriptor.
    ///   - loop: The loop that delivers the connections, and to which they belong.
    ///   - watermarks: The watermarks of each connection.
    ///   - transformer: Creates the transformer of each connection, on `loop`. `nil` means none.
    ///   - proxies: The proxies that connect, as for the other initializer.
    /// - Throws: `badDescriptor` if the descriptor is closed, not a stream socket, or not listening. `loop` if the loop
    ///   has been disposed. After an error the caller still owns the descriptor.
    public convenience init(
        adopting descriptor: Int32,
        loop: any LoopScheduler,
        watermarks: Watermarks = Watermarks(),
        transformer: (@Sendable () -> any ConnectionTransformer)? = nil,
        proxies: TrustedProxies? = nil
    ) throws(SocketError) {
        if let error = loop.refusal(as: SocketError.self) { throw error }
        let socket = try SystemSocket.adopting(descriptor, .stream, listening: true)
        let template = ListenerCore.Template(watermarks: watermarks, transformer: transformer, proxies: proxies)
        self.init(BoundSocket(socket), on: loop, template)
    }

    /// Takes ownership of a listening socket that has been checked.
    init(_ bound: BoundSocket, on loop: any LoopScheduler, _ template: ListenerCore.Template) {
        self.loop = loop
        localAddress = bound.address
        core = UnsafeTransfer(ListenerCore(bound, loop, template))
    }

    /// A connection for each peer that connects. Completes after ``close()``.
    ///
    /// Accepting starts with the subscription. While the subscription is paused, and after it has been disposed, peers
    /// stay in the kernel's queue (rule N4). At most 64 are accepted per turn (rule S9). A connection that the
    /// subscriber neither keeps nor uses is closed.
    ///
    /// One subscriber is allowed at a time. If no descriptor is free, peers stay in the queue and accepting is tried
    /// again after 50 milliseconds (rule N5). The listener skips a peer that leaves before it is accepted (accept(2)).
    /// The signal fails with:
    ///
    /// - `alreadyReceiving` if it already has a subscriber. That subscriber is not affected.
    /// - `loop` if the loop has been disposed or refuses a watch.
    /// - The system's error if accepting becomes impossible. The socket stays open, and a new subscriber may try again.
    public var connections: Signal<Connection, SocketError> { ListenerCore.signal(of: core) }

    /// The peers that were reset because they are no trusted proxies, or sent no valid PROXY header.
    ///
    /// The listener accepts them only while ``connections`` has a subscriber that has not paused. Any number of
    /// subscribers are allowed. Each receives only later rejections, on the loop. Completes after ``close()``, and
    /// immediately if the listener trusts no proxies.
    public var rejections: Signal<RejectedPeer, Never> { core.value.arrivals?.rejections.signal ?? .empty }

    /// Closes the listening socket. Later calls do nothing.
    ///
    /// The kernel resets the peers in its queue, ``connections`` completes, and the address can be used again (rule
    /// N6). Existing connections stay open. You may call this in a callback of ``connections`` (rule N15).
    public func close() {
        loop.runOrExecute { [core] in core.value.close() }
    }
}

extension Listener: CustomStringConvertible {
    /// The listener in one line: `Listener (127.0.0.1:7000, open)`.
    ///
    /// Any thread may read it. After the listener has closed, `closed` replaces `open`.
    public var description: String { "Listener (\(localAddress), \(core.value.isOpen ? "open" : "closed"))" }
}
