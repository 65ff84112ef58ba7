// SPDX-License-Identifier: MIT
#if TLS
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets
    import ReactiveTLS
    import SchedulerConformance

    /// A TLS listener on a loop that the check itself runs, turn by turn, and peers that use OpenSSL directly.
    struct TLSBench {
        /// The listener, and peers without TLS.
        let sockets: SocketBench

        var check: Check { sockets.check }
        var loop: any LoopScheduler { sockets.loop }
        var listener: Listener { sockets.listener }

        init(
            _ check: Check,
            _ loop: any LoopScheduler,
            _ settings: TLSConfiguration = TestCertificates.shared.valid.server,
            watermarks: Watermarks = Watermarks(),
            options: [SocketSetting] = []
        ) throws {
            sockets = try SocketBench(
                check,
                loop,
                watermarks: watermarks,
                options: options,
                transformer: TLSContext(settings).server
            )
        }

        /// Connects a client. Returns it and the accepted connection. The handshake has not begun.
        func connect(version: TLSVersion = .tls13, receiveBuffer: Int32 = 0) throws -> (TLSPeer, Connection) {
            let (raw, connection) = try sockets.connect(receiveBuffer: receiveBuffer)
            return (TLSPeer(raw, .client, version: version), connection)
        }

        /// Connects a client, and completes the handshake on both sides.
        func established(version: TLSVersion = .tls13, receiveBuffer: Int32 = 0) throws -> (TLSPeer, Connection) {
            let (peer, connection) = try connect(version: version, receiveBuffer: receiveBuffer)
            try complete(peer, connection)
            return (peer, connection)
        }

        func complete(_ peer: TLSPeer, _ connection: Connection) throws {
            let info = Box<TLSInfo?>(nil)
            try turns(peer, until: "the handshake is complete") {
                loop.execute { info.value = connection.tlsInfo }
                return peer.phase == .established && info.value != nil && peer.outbox.isEmpty
            }
            // The server's tickets may still be on their way.
            try check.turns(loop, 2)
            peer.step()
        }

        /// Connects a client of this framework to an address.
        func client(
            to address: SocketAddress,
            _ settings: TLSConfiguration = TestCertificates.shared.client,
            host: String = "localhost",
            watermarks: Watermarks = Watermarks()
        ) throws -> Connection {
            try client(to: address, TLSContext(settings), host: host, watermarks: watermarks)
        }

        func client(
            to address: SocketAddress,
            _ context: TLSContext,
            host: String = "localhost",
            watermarks: Watermarks = Watermarks()
        ) throws -> Connection {
            let arrived = Box<Connection?>(nil)
            let settings = ConnectSettings(watermarks: watermarks, transformer: context.client(host: host))
            Connection.connect(to: address, loop: loop, settings: settings).subscribe(
                onValue: { arrived.value = $0 },
                onTermination: check.noFailure(of: "connecting")
            )
            try check.turns(loop, until: "the client is connected") { arrived.value != nil }
            guard let connection = arrived.value else { throw Broken("a connection", "none") }
            return connection
        }

        /// Connects a client of this framework to a peer that accepts it.
        func clientAndServer(
            _ settings: TLSConfiguration = TestCertificates.shared.client,
            _ identity: TestCertificates.Identity = TestCertificates.shared.valid,
            version: TLSVersion = .tls13,
            host: String = "localhost"
        ) throws -> (Connection, TLSPeer) {
            let (descriptor, address) = RawSocket.listener()
            defer { Descriptor.close(descriptor) }
            let connection = try client(to: address, settings, host: host)
            let raw = RawPeer.accepted(by: descriptor)
            raw.setBlocking(false)
            return (connection, TLSPeer(raw, .server(identity), version: version))
        }

        /// Runs turns until `isDone`. Between turns, the peer moves its bytes.
        func turns(_ peer: TLSPeer, until what: String, _ isDone: () throws -> Bool) throws {
            try check.turns(loop, until: what) {
                peer.step()
                return try isDone()
            }
        }

        /// Sends the peer's outbox while turns run. The peer does not read.
        func send(_ peer: TLSPeer) throws {
            try check.turns(loop, until: "the peer has sent its bytes") {
                peer.flush()
                return peer.outbox.isEmpty
            }
        }

        /// Waits until the peer's bytes and its FIN have arrived. Then runs turns in which the connection reads them.
        func settle(_ peer: TLSPeer) throws {
            try check.turns(loop, until: "the peer's bytes have arrived") { peer.raw.unsentCount == 0 }
            try check.turns(loop, 3)
        }

        /// Sends the peer's outbox until the connection has received nothing for a second, because TCP may announce free
        /// memory late. Returns the number of bytes sent.
        func sendUntilRefused(_ peer: TLSPeer) throws -> Int {
            let total = peer.outbox.count
            var limit = Platform.now + .seconds(1)
            while !peer.outbox.isEmpty, Platform.now < limit {
                let before = peer.outbox.count
                peer.flush()
                if peer.outbox.count < before { limit = Platform.now + .seconds(1) }
                try check.turns(loop, 2)
                Platform.pause(.microseconds(200))
            }
            return total - peer.outbox.count
        }

        /// Closes the clients that have connected and the listener, and checks that this bench has no open descriptor.
        func end() { sockets.end() }
    }

    extension Log where Failure == SocketError {
        /// The code of the `TLSError` that caused the failure, or nil.
        var tlsCode: TLSError.Code? { (failure?.cause as? TLSError)?.code }

        /// The message of the failure, or how the subscription has ended instead.
        var message: String { failure?.message ?? "\(ends)" }
    }
#endif
