// SPDX-License-Identifier: MIT
public import ArgumentParser
public import ReactiveCore
public import ReactiveSignals
public import ReactiveSockets

/// The options of a server that restarts without loss: `--activation` and `--handover`.
public struct RestartOptions: ParsableArguments {
    @Flag(help: "Serve the sockets that the service manager passes (LISTEN_FDS), instead of opening one.")
    var activation = false

    @Option(
        help: ArgumentHelp(
            """
            The path of a Unix socket at which the next process takes over the listening sockets. SIGHUP starts the \
            next process with the same arguments.
            """,
            valueName: "path"
        )
    )
    var handover: String?

    public init() {}

    public func validate() throws {
        do {
            _ = try place
        } catch {
            throw ValidationError("--handover: \(error)")
        }
    }

    /// The sockets of the process that this one replaces, or of the service manager. `nil` if this process opens its own.
    public func inherit() throws -> InheritedSockets? {
        let activated = activation ? try InheritedSockets.activated() : nil
        if let place = try place, let sockets = try InheritedSockets.handedOver(at: place) {
            activated?.close()
            return sockets
        }
        if activation, activated == nil {
            throw Failure(description: "--activation needs the sockets of a service manager in LISTEN_FDS")
        }
        return activated
    }

    /// Creates a server on inherited sockets, or, without any, on an address.
    public func server(
        on address: SocketAddress,
        adopting inherited: InheritedSockets?,
        loops: LoopGroup,
        limits: ServerLimits,
        transformer: (@Sendable () -> any ConnectionTransformer)?,
        proxies: TrustedProxies? = nil,
        service: @escaping @Sendable (Connection) -> Signal<Never, SocketError>
    ) throws -> Server {
        guard let inherited else {
            return try Server(
                on: address,
                loops: loops,
                limits: limits,
                transformer: transformer,
                proxies: proxies,
                service: service
            )
        }
        return try Server(
            adopting: inherited.takeListening(),
            loops: loops,
            limits: limits,
            transformer: transformer,
            proxies: proxies,
            service: service
        )
    }

    /// Whether another process may accept from the same sockets. Then clients should not notice a restart.
    public var sharesSockets: Bool { activation || handover != nil }

    /// Takes over from the old process, and prepares the hand-over of a server to the next one.
    ///
    /// The parameters are those of the other method.
    public func begin(
        _ server: Server,
        after inherited: InheritedSockets?,
        on main: any LoopScheduler,
        drain: @escaping @Sendable () -> Void
    ) throws -> Restarting {
        let socket = HandoverSocket.server("main", server)
        return try begin(socket, at: server.localAddress, on: server.loops, after: inherited, on: main, drain: drain)
    }

    /// Takes over from the old process, and prepares the hand-over to the next one.
    ///
    /// Call `reportReady()` of the result when this process handles its process signals.
    ///
    /// - Parameters:
    ///   - socket: The sockets of the server. It serves `inherited`, if there are any.
    ///   - address: The address of the server.
    ///   - loops: The loops of the server.
    ///   - main: The loop of the hand-over and of process signals.
    ///   - drain: Drains the server, and ends the process.
    public func begin(
        _ socket: HandoverSocket,
        at address: SocketAddress,
        on loops: LoopGroup,
        after inherited: InheritedSockets?,
        on main: any LoopScheduler,
        drain: @escaping @Sendable () -> Void
    ) throws -> Restarting {
        let restarting = try Restarting(ServiceManager.fromEnvironment(), socket, address, loops, main, drain)
        if let place = try place { try restarting.prepare(at: place, after: inherited) }
        try inherited?.acknowledge()
        return restarting
    }

    private var place: SocketAddress? {
        get throws { try handover.map { try .unix(path: $0) } }
    }
}
