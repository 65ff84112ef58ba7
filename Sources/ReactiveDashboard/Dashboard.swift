// SPDX-License-Identifier: MIT
#if HTTP
    public import ReactiveCore
    import ReactiveHTTP
    public import ReactiveSignals
    public import ReactiveSockets

    /// A page in the browser that shows a running service: its loops, connections and signals, and what is paused by which
    /// subscriber.
    ///
    /// ```swift
    /// let dashboard = try Dashboard.serve(on: .loopback(port: 9090), observing: loops)
    /// print("open http://\(dashboard.localAddress)/")
    /// ```
    ///
    /// `/` is the page, `/json` the same data as JSON, and `/metrics` as Prometheus text (format 0.0.4).
    ///
    /// Nothing is measured until a page is open. While one is open, turns are measured, new subscriptions are recorded in
    /// the `LiveGraph`, and their values are counted. Requests for `/json` and `/metrics` read counts only. To see
    /// subscriptions that began before the page was opened, call `LiveGraph.start()` and `LiveGraph.countValues()` when the
    /// program starts.
    ///
    /// The data may be secret: addresses of peers, names, source locations. There is no log-in. So a dashboard listens on
    /// the loopback interface, and refuses requests of other web pages, which it knows by `Host`, `Origin` and
    /// `Sec-Fetch-Site`. It accepts `GET` and `HEAD`. Eight pages may be open. Any thread may use every member.
    public final class Dashboard: Sendable {
        private let server: HTTPServer
        private let pages: Pages

        private init(_ server: HTTPServer, _ pages: Pages) {
            self.server = server
            self.pages = pages
        }

        /// Serves a dashboard until ``stop()`` or the disposal of its loop. Releasing the result does not stop it.
        ///
        /// - Parameters:
        ///   - address: The local address. Port 0 asks the system to pick a port.
        ///   - loops: The loops to show.
        ///   - servers: The servers whose connections are shown, as far as they belong to `loops`.
        ///   - home: The loop that serves the dashboard. `nil` means the first of `loops`. With another loop, the dashboard
        ///     also answers while a loop of the service is blocked.
        ///   - hostNames: Names of this machine that requests may use, besides `localhost` and addresses.
        ///   - exposesDataToTheNetwork: Whether `address` may be another address than one of the loopback interface. Then
        ///     everybody who can reach it sees the data.
        /// - Returns: The dashboard.
        /// - Throws: `permissionDenied` if the address is not on the loopback interface and `exposesDataToTheNetwork` is
        ///   false. The errors of `Server`.
        @discardableResult
        public static func serve(
            on address: SocketAddress,
            observing loops: LoopGroup,
            servers: [ObservedServer] = [],
            runningOn home: (any LoopScheduler)? = nil,
            hostNames: [String] = [],
            exposesDataToTheNetwork: Bool = false
        ) throws(SocketError) -> Dashboard {
            guard address.isLocal || exposesDataToTheNetwork else {
                throw SocketError(
                    .permissionDenied,
                    "cannot serve a dashboard on \(address): it has no log-in, so use a loopback address, or say "
                        + "exposesDataToTheNetwork: true"
                )
            }
            let home = home ?? loops.loops[0]
            let collector = Collector(loops.loops, servers, on: home)
            let pages = Pages(collector, on: home)
            let service = DashboardService(collector: collector, pages: pages, check: RequestGuard(hostNames))
            var limits = HTTPLimits()
            (limits.startLine, limits.fieldBytes, limits.bodyBytes) = (2048, 16 * 1024, 0)
            let server = try HTTPServer(
                on: address,
                loops: LoopGroup(home),
                limits: limits,
                connections: ServerLimits(maxConnections: 32),
                service: .signal { request in service.respond(to: request) }
            )
            return Dashboard(server, pages)
        }

        /// The local address. If port 0 was requested, it has the port that the system picked.
        public var localAddress: SocketAddress { server.localAddress }

        /// The number of open pages.
        public var pageCount: Int { pages.count }

        /// Closes all pages, which ends the measurements, and stops serving.
        ///
        /// - Returns: A signal that completes when all connections have ended. It may be ignored.
        @discardableResult
        public func stop() -> Signal<Never, Never> {
            pages.closeAll()
            return server.stop()
        }
    }

    extension SocketAddress {
        /// Whether only this machine can reach the address.
        fileprivate var isLocal: Bool {
            switch family {
            case .unix: true
            case .ipv4: bytes.first == 127
            case .ipv6: bytes == [UInt8](repeating: 0, count: 15) + [1]
            }
        }
    }
#endif
