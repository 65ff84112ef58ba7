// SPDX-License-Identifier: MIT
#if TLS
    import COpenSSL
    import ReactiveSignals
    import Testing

    @testable import ReactiveSockets
    @testable import ReactiveTLS

    /// Legal and illegal messages at the worst time, without sockets and loops.
    @Suite struct HostilePeerTests {
        private let certificates = Certificates.shared

        @Test("Bytes that are sent while a message of the peer is incomplete are not lost")
        func incompleteMessage() throws {
            let (client, server) = (try certificates.identifiedClient(.tls13), try certificates.fragmentingServer())
            var count = 0
            // Each handshake delivers one byte more of the tickets before the client sends.
            while true {
                var wire = Wire(client, server)
                wire.shakeHands()
                let tickets = wire.server.takeOutgoing()
                guard count <= tickets.count else { break }
                let middle = tickets.startIndex + count
                wire.client.receive(tickets[..<middle])
                wire.send("request")
                wire.client.receive(tickets[middle...])
                wire.run()
                #expect(wire.server.received == Array("request".utf8), "\(count) of \(tickets.count) bytes")
                #expect(wire.client.failure == nil && wire.client.transformer.heldCount == 0)
                guard wire.server.received.count == 7 else { return }
                count += 1
            }
            #expect(count > 1_000)
        }

        @Test(
            "A failed handshake has agreed on nothing, and names no certificate",
            arguments: [TLSVersion.tls12, .tls13]
        )
        func failedHandshake(version: TLSVersion) throws {
            var settings = certificates.client()
            settings.maximumVersion = version
            var wire = Wire(try TLSContext(settings), try TLSContext(certificates.server()))
            // The last bytes of the server's flight are those of its Finished message.
            var flights = 0
            wire.tamperReply = { bytes in
                flights += 1
                guard bytes.count > 100, version == .tls13 || flights == 2 else { return bytes }
                var changed = Array(bytes)
                changed[changed.count - 1] ^= 1
                return Bytes(changed)
            }
            wire.begin()
            #expect(wire.client.failure != nil)
            #expect(wire.client.info == nil, "\(String(describing: wire.client.info))")
        }

        private static func keyUpdate(_ end: inout Wire.End) {
            guard let session = end.transformer as? TLSSession else { return }
            #expect(SSL_key_update(session.session, SSL_KEY_UPDATE_REQUESTED) == 1)
        }

        @Test(
            "After the end of sending, a connection answers neither key updates nor broken records",
            arguments: [false, true]
        )
        func afterEnd(isBroken: Bool) throws {
            var wire = try Wire(certificates.client(), certificates.server())
            wire.begin()
            wire.finishClient()
            wire.run()
            if isBroken {
                wire.tamperReply = { bytes in Bytes(bytes.dropLast() + [bytes[bytes.endIndex - 1] ^ 1]) }
            } else {
                Self.keyUpdate(&wire.server)
            }
            wire.send("more", fromServer: true)
            wire.client.receive(wire.tamperReply(wire.server.takeOutgoing()))
            #expect(wire.client.outgoing.isEmpty, "\(wire.client.outgoing.count) bytes")
            if isBroken {
                #expect(wire.client.failure?.tls == .badRecord)
            } else {
                #expect(wire.client.failure == nil && wire.client.received == Array("more".utf8))
            }
        }

        @Test(
            "A host name that no certificate can contain fails the handshake",
            arguments: ["", ".", ".localhost", ".example", "localhost\u{0}.example"],
            ["server", "other"]
        )
        func hostName(host: String, certificate: String) throws {
            var wire = try Wire(certificates.client(), certificates.server(certificate), host: host)
            wire.begin()
            wire.send("secret")
            wire.run()
            #expect(wire.client.failure?.tls == .wrongHost, "\(String(describing: wire.client.failure))")
            #expect(wire.server.received.isEmpty)
        }

        @Test("Records that the OpenSSL configuration pads (RecordPadding) arrive in order")
        func padding() throws {
            let client = try TLSContext(certificates.client())
            #expect(SSL_CTX_set_block_padding(client.current.pointer, TLSSession.recordLimit) == 1)
            var wire = Wire(client, try TLSContext(certificates.server()))
            wire.begin()
            let payload = Bytes((0..<2 * TLSSession.recordLimit + 100).map { UInt8(truncatingIfNeeded: $0 >> 8) })
            for _ in 0..<3 { wire.send(payload) }
            wire.run()
            let isSame = wire.server.received == Array(payload) + payload + payload
            #expect(isSame && wire.server.failure == nil, "\(wire.server.failure as Any)")
        }

        @Test("Records of one byte retain little memory", arguments: [TLSVersion.tls12, .tls13])
        func tinyRecords(version: TLSVersion) throws {
            var settings = certificates.client()
            settings.maximumVersion = version
            var wire = Wire(try TLSContext(settings), try TLSContext(certificates.server()))
            wire.begin()
            for _ in 0..<2_000 { wire.send("x") }
            var out = TransformedBytes()
            let sent = wire.client.takeOutgoing()
            for start in stride(from: sent.startIndex, to: sent.endIndex, by: 500) {
                try wire.server.transformer.receive(sent[start..<min(start + 500, sent.endIndex)], &out)
            }
            #expect(out.contents.application.count == 2_000)
            // Chunks share a slab, so many of them retain no more than one or two.
            let slabs = out.applicationBytes.buffers(.max).compactMap(\.slab)
            #expect(Set(slabs.map(ObjectIdentifier.init)).count <= 2)
        }

        @Test("Versions of the listener and of the chosen context may exclude each other")
        func versions() throws {
            let all = [(TLSVersion.tls12, TLSVersion.tls12), (.tls12, .tls13), (.tls13, .tls13)]
            for own in all {
                for other in all {
                    var chosen = certificates.server()
                    (chosen.minimumVersion, chosen.maximumVersion) = other
                    let context = try TLSContext(chosen)
                    var listener = certificates.server()
                    (listener.minimumVersion, listener.maximumVersion) = own
                    listener.contextForServerName = { _ in .just(context) }
                    var wire = Wire(try TLSContext(certificates.client()), try TLSContext(listener))
                    wire.begin()
                    // The chosen context decides.
                    #expect(wire.client.failure == nil && wire.server.failure == nil, "\(own) \(other)")
                    #expect(wire.client.info?.version == other.1, "\(own) \(other)")
                }
            }
        }
    }
#endif
