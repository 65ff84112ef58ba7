// SPDX-License-Identifier: MIT
public import ReactiveSignals
import ReactiveSupport

/// Accepts peers on one or more loops and calls a closure for each connection, within limits, until it is drained.
///
/// ```swift
/// let server = try Server(on: address, loops: loops) { connection in
///     connection.send(from: connection.received)
/// }
/// ```
///
/// It serves as soon as it is created. Releasing it does not stop it. Call ``drain(within:)`` or dispose its loops to
/// stop it.
///
/// With several loops, each has its own listening socket (`SO_REUSEPORT`), and the kernel distributes the peers. A Unix
/// server has one socket, and its peers are assigned to the loops in rotation. The properties and the result of
/// ``drain(within:)`` are delivered on the first loop. Events are delivered on the loop of their connection. Any thread
/// may use every member.
public final class Server: Sendable {
    /// The local address. If port 0 was requested, it has the port that the system picked.
    public let localAddress: SocketAddress
    /// The loops to which the connections belong.
    public let loops: LoopGroup

    let core: ServerCore

    /// Listens on `address` and serves. Any thread may call this initializer. The sockets listen when it returns.
    ///
    /// - Parameters:
    ///   - address: The local address. Port 0 asks the system to pick a port.
    ///   - loops: The loops to which the connections belong. The caller runs them, unless they own their threads.
    ///   - limits: The limits on connections.
    ///   - backlog: The maximum number of peers that the kernel queues for each listening socket (listen(2)).
    ///   - options: Options of the listening sockets. Connections inherit them.
    ///   - watermarks: The watermarks of each connection.
    ///   - transformer: Creates the transformer of each connection (``ConnectionTransformer``). `nil` means none.
    ///   - proxies: The proxies that connect. Each names its client with the PROXY protocol (``TrustedProxies``). `nil`
    ///     means that the peers are the clients.
    ///   - service: The closure that serves a connection. It is called on the connection's loop, once for each
    ///     connection, after the event `accepted`. When its result completes, the connection is closed, as by
    ///     ``Connection/close()``. When its result fails, the connection is reset and ends with that error. If the
    ///     connection ends first, the subscription to the result is disposed. Other connections are not affected.
    /// - Throws: The errors of ``Listener``. Also `addressInUse` if another server listens on the port, even if both
    ///   set `SO_REUSEPORT`. After an error, no socket or file remains.
    public init(
        on address: SocketAddress,
        loops: LoopGroup,
        limits: ServerLimits = ServerLimits(),
        backlog: Int32 = 4096,
        options: [SocketSetting] = [],
        watermarks: Watermarks = Watermarks(),
        transformer: (@Sendable () -> any ConnectionTransformer)? = nil,
        proxies: TrustedProxies? = nil,
        service: @escaping @Sendable (Connection) -> Signal<Never, SocketError>
    ) throws(SocketError) {
        var template = ListenerCore.Template(watermarks: watermarks, transformer: transformer, proxies: proxies)
        let isShared = address.family != .unix && loops.loops.count > 1
        if !isShared, loops.loops.count > 1 { template.nextLoop = { loops.next() } }
        let drain = DrainMark()
        template.drain = drain
        var options = options
        if isShared {
            // With SO_REUSEPORT two servers could share the port, so first bind once without it.
            if address.port != 0 { try BoundSocket.requireFree(address) }
            options.append(SocketOption.reusePort(true))
        }
        var listeners: [Listener] = []
        for loop in isShared ? loops.loops : [loops.loops[0]] {
            let target = listeners.first?.localAddress ?? address
            listeners.append(
                try Listener(on: target, loop: loop, backlog: backlog, options: options, template: template)
            )
        }
        localAddress = listeners[0].localAddress
        self.loops = loops
        core = ServerCore(listeners, loops, limits, drain, sharesSockets: false, service)
        core.start()
    }

    /// Takes ownership of listening sockets, such as those of ``InheritedSockets``, and serves.
    ///
    /// Another process may accept from the same sockets. So a peer that this one has accepted is served even if
    /// ``drain(within:)`` was called before. With fewer sockets than loops, the peers are assigned to the loops in
    /// rotation. Closing does not remove the files of Unix sockets. Options such as `TCP_NODELAY` are those that the
    /// creator of the sockets has set.
    ///
    /// - Parameters:
    ///   - descriptors: The open descriptors, at least one. ``localAddress`` is that of the first.
    ///   - loops: The loops to which the connections belong. The caller runs them, unless they own their threads.
    ///   - limits: The limits on connections.
    ///   - watermarks: The watermarks of each connection.
    ///   - transformer: Creates the transformer of each connection (``ConnectionTransformer``). `nil` means none.
    ///   - proxies: The proxies that connect (``TrustedProxies``). `nil` means that the peers are the clients.
    ///   - service: The closure that serves a connection, as for the other initializer.
    /// - Throws: `badDescriptor` if there is none, or if one is closed, not a stream socket, or not listening. `loop` if
    ///   a loop has been disposed. After an error the caller still owns the descriptors.
    public init(
        adopting descriptors: [Int32],
        loops: LoopGroup,
        limits: ServerLimits = ServerLimits(),
        watermarks: Watermarks = Watermarks(),
        transformer: (@Sendable () -> any ConnectionTransformer)? = nil,
        proxies: TrustedProxies? = nil,
        service: @escaping @Sendable (Connection) -> Signal<Never, SocketError>
    ) throws(SocketError) {
        guard !descriptors.isEmpty else {
            throw SocketError(.badDescriptor, "cannot serve: the list of descriptors is empty")
        }
        // All are checked first, because a listener closes its descriptor.
        for descriptor in descriptors { _ = try SystemSocket.adopting(descriptor, .stream, listening: true) }
        for loop in loops.loops { if let error = loop.refusal(as: SocketError.self) { throw error } }
        var template = ListenerCore.Template(watermarks: watermarks, transformer: transformer, proxies: proxies)
        if descriptors.count < loops.loops.count { template.nextLoop = { loops.next() } }
        let drain = DrainMark()
        template.drain = drain
        let sockets = descriptors.map { BoundSocket(SystemSocket(descriptor: $0)) }
        let listeners = sockets.enumerated().map { index, socket in
            Listener(socket, on: loops.loops[index % loops.loops.count], template)
        }
        localAddress = listeners[0].localAddress
        self.loops = loops
        core = ServerCore(listeners, loops, limits, drain, sharesSockets: true, service)
        core.start()
    }

    /// The state of the server. It is `stopped` when all connections have ended and all listening sockets are closed.
    public var state: ReadOnlyProperty<ServerState> { core.state.readOnly }

    /// The number of connections that are being served. Changes in quick succession are combined, so observers may not
    /// see every number.
    public var connectionCount: ReadOnlyProperty<Int> { core.connectionCount.readOnly }

    /// The events of the server. Completes when the server has stopped.
    ///
    /// A subscriber receives only events that occur after its subscription. Events for a paused subscriber are queued
    /// without a limit. For each connection, `accepted` precedes `ended`. If a loop is disposed, the thread that
    /// disposes it sends the `ended` events of its connections.
    public var events: Signal<ServerEvent, Never> { core.events.signal }

    /// The counters so far, as one consistent snapshot. They can also be read after the server has stopped.
    public var totals: ServerTotals { core.totals }

    /// Stops accepting, waits until the connections end, and resets the remaining ones after `grace`.
    ///
    /// It starts immediately, even if the result has no subscriber. The services that observe ``Connection/draining``
    /// are notified. Peers that are not served yet are refused or reset. If a loop is disposed, its sockets close. The
    /// drain waits until that loop has released them, and continues with the others. If the first loop is disposed, the
    /// remaining connections are reset. In a forked child, the drain of a server of the parent does not complete.
    ///
    /// - Parameter grace: The time that connections have to end. A value of zero or less resets them immediately. The
    ///   earliest deadline of several calls applies.
    /// - Returns: A signal that completes when the server has stopped. A later subscriber completes immediately. It may
    ///   be ignored. Disposing a subscription does not cancel the drain.
    @discardableResult
    public func drain(within grace: Duration) -> Signal<Never, Never> {
        core.drain(within: grace)
        return core.stopped.signal
    }

    /// Stops accepting and resets all connections immediately: `drain(within: .zero)`.
    ///
    /// - Returns: The result of ``drain(within:)``.
    @discardableResult
    public func stop() -> Signal<Never, Never> { drain(within: .zero) }
}
