// SPDX-License-Identifier: MIT
#if TLS
    import Glibc
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets
    import ReactiveTLS

    /// A TLS listener on a loop that the check itself runs, turn by turn, and peers that use OpenSSL directly.
    struct TLSBench {
        let check: Check
        let loop: any LoopScheduler
        let listener: Listener

        init(
            _ check: Check,
            _ loop: any LoopScheduler,
            _ settings: TLSConfiguration = TestCertificates.shared.valid.server,
            watermarks: Watermarks = Watermarks(),
            options: [SocketSetting] = []
        ) throws {
            self.check = check
            self.loop = loop
            let context = try TLSContext(settings)
            listener = try Listener(
                on: .loopback(port: 0),
                loop: loop,
                options: options,
                watermarks: watermarks,
                transformer: context.server
            )
            check.note("listens with TLS on \(listener.localAddress)")
        }

        /// Connects a client. Returns it and the accepted connection. The handshake has not begun.
        func connect(version: TLSVersion = .tls13, receiveBuffer: Int32 = 0) throws -> (TLSPeer, Connection) {
            let raw = try RawPeer(to: listener.localAddress, receiveBuffer: receiveBuffer)
            return (TLSPeer(raw, .client, version: version), try accept())
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

        /// Accepts the next connection.
        func accept() throws -> Connection {
            let arrived = Box<Connection?>(nil)
            listener.connections.take(1).subscribe(
                onValue: { arrived.value = $0 },
                onTermination: check.noFailure(of: "the listener")
            )
            try check.turns(loop, until: "a peer is accepted") { arrived.value != nil }
            guard let connection = arrived.value else { throw Broken("a connection", "none") }
            return connection
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
            // Otherwise single bytes would wait for acknowledgements.
            RawSocket.set(raw.descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
            return (connection, TLSPeer(raw, .server(identity), version: version))
        }

        /// Runs turns until `isDone`. Between turns, the peer moves its bytes.
        func turns(_ peer: TLSPeer, until what: String, _ isDone: () throws -> Bool) throws {
            try check.turns(loop, until: what) {
                peer.step()
                return try isDone()
            }
        }

        /// Sends bytes from a peer without TLS while turns run.
        func send(_ bytes: some Collection<UInt8>, from raw: RawPeer) throws {
            let bytes = Array(bytes)
            var sent = 0
            try check.turns(loop, until: "the peer has sent \(bytes.count) bytes") {
                sent += raw.send(bytes[sent...])
                return sent == bytes.count
            }
        }

        /// Sends the peer's outbox while turns run. The peer does not read.
        func send(_ peer: TLSPeer) throws {
            try check.turns(loop, until: "the peer has sent its bytes") {
                peer.flush()
                return peer.outbox.isEmpty
            }
        }

        /// Closes the listener, and checks that this bench has no open descriptor. Close the peers first.
        func end() {
            let address = listener.localAddress
            listener.close()
            check.attempt {
                try check.turns(loop, until: "no socket of the listener is open") {
                    OpenSockets.count(on: address) == 0
                }
            }
        }
    }

    extension Log where Failure == SocketError {
        /// The code of the `TLSError` that caused the failure, or nil.
        var tlsCode: TLSError.Code? {
            guard ends.count == 1, case .failed(let error)? = ends.first else { return nil }
            return (error.cause as? TLSError)?.code
        }

        /// The message of the failure, or "completed".
        var message: String {
            guard case .failed(let error)? = ends.first else { return hasEnded ? "completed" : "not ended" }
            return error.message
        }
    }
#endif
