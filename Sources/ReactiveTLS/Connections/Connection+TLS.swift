// SPDX-License-Identifier: MIT
#if TLS
    public import ReactiveCore
    public import ReactiveSignals
    public import ReactiveSockets

    extension Connection {
        /// What TLS has agreed on. nil without TLS, before the handshake is complete, and after the connection has ended.
        ///
        /// Call it on the connection's loop. Traps elsewhere.
        public var tlsInfo: TLSInfo? { (currentTransformer as? TLSSession)?.info }

        /// Connects to a server by its name, and verifies that its certificate is for that name.
        ///
        /// It is like `connect(toHost:port:loop:settings:)` in every other respect. The connection is sent before the
        /// handshake is complete. What you send waits until then. A failed handshake fails the connection with the code
        /// `tls`.
        ///
        /// - Parameters:
        ///   - host: The name or the address.
        ///   - port: The port.
        ///   - tls: The certificates and settings.
        ///   - loop: The connection's loop.
        ///   - settings: Further settings. Their transformer is replaced.
        public static func connect(
            toHost host: String,
            port: Int,
            tls: TLSContext,
            loop: any LoopScheduler,
            settings: ConnectSettings = ConnectSettings()
        ) -> Signal<Connection, SocketError> {
            var settings = settings
            settings.transformer = tls.client(host: host)
            return connect(toHost: host, port: port, loop: loop, settings: settings)
        }
    }
#endif
