public import ReactiveSignals
import ReactiveSupport

/// Serves every peer that connects, within limits, on one loop or several, until it is drained.
///
///     let server = try Server(on: address, loops: loops) { connection in
///         connection.send(from: connection.received)
///     }
///
/// It serves from its initialiser on. Letting go of it does not end it: ``drain(within:)`` does, and the end of its loops. With
/// several loops every loop has a listening socket of its own (`SO_REUSEPORT`) and the kernel spreads the peers; a Unix
/// socket has one, and its peers are handed out to the loops in turn. The properties and ``drain(within:)`` tell on the first
/// loop; events come on the loop of the connection. Every member may be used from any thread.
public final class Server: Sendable {
    /// Where it listens; where port 0 was asked for, the port that the system has picked.
    public let localAddress: SocketAddress
    /// The loops that it serves on.
    public let loops: LoopGroup

    let core: ServerCore

    /// Listens on `address` and serves.
    ///
    /// - Parameters:
    ///   - address: where; port 0 asks the system to pick one.
    ///   - loops: where connections live. They have to be run, or to own their threads.
    ///   - limits: how much it takes on.
    ///   - backlog: how many peers the kernel queues for each listening socket.
    ///   - options: for the listening sockets; connections inherit them.
    ///   - watermarks: for each connection.
    ///   - transformer: makes what stands between each connection and its descriptor; see ``ConnectionTransformer``.
    ///   - service: called on the connection's loop, once for each connection. When what it returns completes the
    ///     connection is closed, when it fails the connection is broken off; nobody else's is touched.
    /// - Throws: as a ``Listener`` does; `addressInUse` also where another process shares the port. Nothing is left behind.
    public init(
        on address: SocketAddress,
        loops: LoopGroup,
        limits: ServerLimits = ServerLimits(),
        backlog: Int32 = 4096,
        options: [SocketSetting] = [],
        watermarks: Watermarks = Watermarks(),
        transformer: (@Sendable () -> any ConnectionTransformer)? = nil,
        service: @escaping @Sendable (Connection) -> Signal<Never, SocketError>
    ) throws(SocketError) {
        var template = ListenerCore.Template(watermarks: watermarks, transformer: transformer)
        let isShared = address.family != .unix && loops.loops.count > 1
        if !isShared, loops.loops.count > 1 { template.nextLoop = { loops.next() } }
        var options = options
        if isShared {
            // With SO_REUSEPORT the system would let two servers share the port: asked without it first.
            if address.port != 0 { try Listener(on: address, loop: loops.loops[0]).core.value.release() }
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
        core = ServerCore(listeners, loops.loops[0], limits, service)
        core.start()
    }

    /// Where it is in its life.
    public var state: ReadOnlyProperty<ServerState> { core.state.readOnly }

    /// How many connections are being served.
    public var connectionCount: ReadOnlyProperty<Int> { core.connectionCount.readOnly }

    /// What happens, as it happens; it completes when the server has stopped. An observer that pauses keeps what happens
    /// meanwhile waiting for it, without a limit.
    public var events: Signal<ServerEvent, Never> { core.events.signal }

    /// What it has done so far.
    public var totals: ServerTotals { core.totals }

    /// Accepts nobody any more, lets the connections that there are end by themselves, and breaks off what is left after `grace`.
    ///
    /// It starts at once; the result may be let go of, and completes when nothing is left. Peers that had not been served
    /// are refused or broken off. A grace of zero or less breaks everything off at once; called again, the earlier end counts.
    @discardableResult
    public func drain(within grace: Duration) -> Signal<Never, Never> {
        core.drain(within: grace)
        return core.stopped.signal
    }

    /// Breaks everything off at once: `drain(within: .zero)`.
    @discardableResult
    public func stop() -> Signal<Never, Never> { drain(within: .zero) }
}
