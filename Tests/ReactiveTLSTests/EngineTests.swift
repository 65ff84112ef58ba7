// SPDX-License-Identifier: MIT
#if TLS
    import ReactiveSockets
    import ReactiveTLS
    import Testing

    @Suite struct EngineTests {
        private let certificates = Certificates.shared

        private func wire(_ version: TLSVersion = .tls13, host: String = "localhost") throws -> Wire {
            var client = certificates.client()
            client.maximumVersion = version
            return try Wire(client, certificates.server(), host: host)
        }

        @Test(
            "Bytes arrive however the stream is split",
            arguments: [TLSVersion.tls12, .tls13],
            [1, 2, 7, 4096, Int.max]
        )
        func splits(version: TLSVersion, chunk: Int) throws {
            var wire = try wire(version)
            wire.chunk = chunk
            wire.begin()
            let payload = Bytes((0..<40_000).map { UInt8(truncatingIfNeeded: $0) })
            wire.send(payload)
            wire.send("reply", fromServer: true)
            wire.run()
            #expect(wire.client.failure == nil && wire.server.failure == nil)
            let isSame = wire.server.received == Array(payload)
            #expect(isSame)
            #expect(wire.client.received == Array("reply".utf8))
        }

        @Test("Bytes that are sent before the handshake wait for it")
        func early() throws {
            var wire = try wire()
            wire.client.begin()
            wire.send("early")
            #expect(wire.client.transformer.heldCount == 5 && wire.client.transformer.needsInput)
            wire.run()
            #expect(wire.client.transformer.heldCount == 0 && !wire.client.transformer.needsInput)
            #expect(wire.server.received == Array("early".utf8))
        }

        @Test("close_notify ends one direction in TLS 1.3, and both in TLS 1.2", arguments: [TLSVersion.tls12, .tls13])
        func closing(version: TLSVersion) throws {
            var wire = try wire(version)
            wire.begin()
            wire.send("last")
            wire.finishClient()
            wire.run()
            #expect(wire.server.received == Array("last".utf8) && wire.server.streamHasEnded)
            wire.send("more", fromServer: true)
            wire.run()
            if version == .tls13 {
                #expect(wire.client.received == Array("more".utf8))
            } else {
                #expect(wire.server.failure?.code == .reset && wire.client.streamHasEnded)
            }
        }

        @Test("An end of the stream without close_notify is a truncation", arguments: [TLSVersion.tls12, .tls13])
        func truncation(version: TLSVersion) throws {
            var wire = try wire(version)
            wire.begin()
            wire.server.call { transformer, out throws(SocketError) in try transformer.receiveEnd(&out) }
            #expect(wire.server.failure?.tls == .truncated)
        }

        @Test(
            "A close_notify during the handshake is a truncation",
            arguments: [TLSVersion.tls12, .tls13],
            [false, true]
        )
        func closedHandshake(version: TLSVersion, fromServer: Bool) throws {
            var wire = try wire(version)
            wire.client.begin()
            wire.server.receive(wire.client.takeOutgoing())
            let notification = Bytes([21, 3, 3, 0, 2, 1, 0])
            if fromServer { wire.client.receive(notification) } else { wire.server.receive(notification) }
            let failure = fromServer ? wire.client.failure : wire.server.failure
            #expect(failure?.tls == .truncated, "\(failure as Any)")
        }

        @Test(
            "A client resumes its last session, unless that is off",
            arguments: [TLSVersion.tls12, .tls13],
            [false, true]
        )
        func resumption(version: TLSVersion, isOff: Bool) throws {
            var settings = certificates.client()
            settings.maximumVersion = version
            settings.resumesSessions = !isOff
            let (client, server) = (try TLSContext(settings), try TLSContext(certificates.server()))
            for number in 0..<4 {
                var wire = Wire(client, server)
                wire.begin()
                wire.send("x")
                wire.send("y", fromServer: true)
                wire.run()
                #expect(wire.client.failure == nil && wire.server.received == [120] && wire.client.received == [121])
                #expect(wire.client.info?.isResumed == (number > 0 && !isOff), "\(number)")
                #expect(wire.server.info?.serverName == "localhost", "\(number)")
                // OpenSSL does not resume a session whose connection has not been closed properly.
                wire.finishClient()
                wire.run()
            }
        }

        @Test("New connections use reloaded certificates, and a failed reload changes nothing")
        func reload() throws {
            let (client, server) = (try TLSContext(certificates.client()), try TLSContext(certificates.server()))
            var first = Wire(client, server)
            first.begin()
            #expect(throws: TLSError.self) { try server.reload(certificates.server("missing")) }
            try server.reload(certificates.server("other"))
            first.send("x")
            first.run()
            #expect(first.server.received == [120])
            var second = Wire(client, server)
            second.begin()
            #expect(second.client.failure?.tls == .wrongHost)
        }

        @Test("A changed record is refused, and the peer receives the alert", arguments: [TLSVersion.tls12, .tls13])
        func changed(version: TLSVersion) throws {
            var wire = try wire(version)
            wire.begin()
            wire.tamper = { bytes in
                var changed = Array(bytes)
                if changed.count > 10 { changed[changed.count - 3] ^= 1 }
                return Bytes(changed)
            }
            wire.send("a message")
            wire.run()
            #expect(wire.server.failure?.tls == .badRecord)
            #expect(wire.client.failure?.tls == .alert)
            #expect(wire.server.received.isEmpty)
        }

        @Test(
            "Plain text is refused",
            arguments: [
                "GET / HTTP/1.1\r\n\r\n", "hello, is there anybody?\r\n", "\u{0}\u{1}\u{2}\u{3}\u{4}\u{5}\u{6}\u{7}",
            ]
        )
        func plain(text: String) throws {
            var wire = try wire()
            wire.server.call { transformer, out throws(SocketError) in try transformer.receive(Bytes(text), &out) }
            #expect(
                wire.server.failure?.code == .tls && wire.server.failure?.tls == .notTLS,
                "\(String(describing: wire.server.failure))"
            )
        }
    }
#endif
