// SPDX-License-Identifier: MIT
#if TLS
    import COpenSSL
    import Testing

    @testable import ReactiveSockets
    @testable import ReactiveTLS

    /// Floods of legal messages: what the other side answers, and what it keeps.
    @Suite struct FloodTests {
        private let certificates = Certificates.shared

        private func wire(_ version: TLSVersion, protocols: [String] = []) throws -> Wire {
            var client = certificates.client()
            client.maximumVersion = version
            var server = certificates.server()
            server.applicationProtocols = protocols
            return try Wire(client, server)
        }

        private static func keyUpdate(_ end: inout Wire.End) {
            end.callOpenSSL { session in
                #expect(SSL_key_update(session, SSL_KEY_UPDATE_REQUESTED) == 1 && SSL_do_handshake(session) == 1)
            }
        }

        /// Asks for a renegotiation, which `end` itself would refuse.
        private static func renegotiate(_ end: inout Wire.End) {
            end.callOpenSSL { session in
                SSL_clear_options(session, SSL_get_options(session))
                #expect(SSL_renegotiate(session) == 1)
                SSL_do_handshake(session)
                ERR_clear_error()
            }
        }

        /// The time of processing bytes, for the report of a measurement.
        private static func receive(_ bytes: Bytes, _ end: inout Wire.End, _ what: String) {
            let time = ContinuousClock().measure { end.receive(bytes) }
            let each = time / max(1, bytes.count) / .nanoseconds(1)
            print("\(what): \(bytes.count) bytes, \(each) ns per byte, \(end.outgoing.count) bytes in reply")
        }

        @Test("Key updates cost little, and each request has at most one answer", arguments: [false, true])
        func keyUpdates(fromServer: Bool) throws {
            var wire = try wire(.tls13)
            wire.begin()
            for _ in 0..<2_000 { if fromServer { Self.keyUpdate(&wire.server) } else { Self.keyUpdate(&wire.client) } }
            wire.send("end", fromServer: fromServer)
            let flood = fromServer ? wire.server.takeOutgoing() : wire.client.takeOutgoing()
            #expect(flood.count > 2_000 * 20)
            if fromServer {
                Self.receive(flood, &wire.client, "KeyUpdate to a client")
                #expect(wire.client.outgoing.count <= flood.count && wire.client.failure == nil)
                #expect(wire.client.received == Array("end".utf8))
            } else {
                Self.receive(flood, &wire.server, "KeyUpdate to a server")
                #expect(wire.server.outgoing.count <= flood.count && wire.server.failure == nil)
                #expect(wire.server.received == Array("end".utf8))
            }
        }

        @Test("A renegotiation is refused", arguments: [false, true])
        func renegotiations(fromServer: Bool) throws {
            var wire = try wire(.tls12)
            wire.begin()
            if fromServer { Self.renegotiate(&wire.server) } else { Self.renegotiate(&wire.client) }
            wire.send("end", fromServer: fromServer)
            let flood = fromServer ? wire.server.takeOutgoing() : wire.client.takeOutgoing()
            if fromServer {
                Self.receive(flood, &wire.client, "renegotiation of a client")
                #expect(wire.client.outgoing.count < 100, "\(wire.client.outgoing.count)")
            } else {
                Self.receive(flood, &wire.server, "renegotiation of a server")
                #expect(wire.server.outgoing.count < 100, "\(wire.server.outgoing.count)")
            }
        }

        @Test("A hello in records of one byte is answered", arguments: [TLSVersion.tls12, .tls13], [1, Int.max])
        func fragments(version: TLSVersion, chunk: Int) throws {
            var wire = try wire(version)
            wire.chunk = chunk
            wire.client.begin()
            let hello = wire.client.takeOutgoing()
            let records: [UInt8] = hello.dropFirst(5).flatMap { byte -> [UInt8] in [22, 3, 1, 0, 1, byte] }
            for start in stride(from: 0, to: records.count, by: min(chunk, records.count)) {
                wire.server.receive(Bytes(records[start..<min(records.count, start + min(chunk, records.count))]))
            }
            wire.run()
            wire.send("x")
            wire.run()
            #expect(wire.server.failure == nil && wire.server.received == [120], "\(wire.server.failure as Any)")
        }

        /// Adds an extension to a hello, and divides the result into records.
        private static func enlarged(_ hello: Bytes, _ type: UInt16, _ body: [UInt8]) -> Bytes {
            func number(_ count: Int) -> [UInt8] { [UInt8(count >> 8 & 255), UInt8(count & 255)] }
            var message = Array(hello.dropFirst(5))
            // The type and length, the version and random bytes, the session ID, the ciphers and the compressions.
            var place = 4 + 2 + 32
            place += 1 + Int(message[place])
            place += 2 + Int(message[place]) << 8 + Int(message[place + 1])
            place += 1 + Int(message[place])
            message.insert(contentsOf: number(Int(type)) + number(body.count) + body, at: place + 2)
            message.replaceSubrange(place..<place + 2, with: number(message.count - place - 2))
            message.replaceSubrange(1..<4, with: [UInt8((message.count - 4) >> 16)] + number(message.count - 4))
            return Bytes(
                stride(from: 0, to: message.count, by: 16_384).flatMap { start -> [UInt8] in
                    let part = message[start..<min(message.count, start + 16_384)]
                    return [22, 3, 1] + number(part.count) + part
                }
            )
        }

        private enum Extension: CaseIterable {
            case unknown, protocols, badProtocols, emptyProtocol, noProtocols, protocolsPastTheEnd

            var type: UInt16 { self == .unknown ? 0xFAFA : 16 }
            var isAccepted: Bool { self == .unknown || self == .protocols }

            var body: [UInt8] {
                func list(_ names: [UInt8]) -> [UInt8] { [UInt8(names.count >> 8), UInt8(names.count & 255)] + names }
                switch self {
                case .unknown: return [UInt8](repeating: 7, count: 60_000)
                case .protocols: return list([UInt8](repeating: 1, count: 60_000) + [2] + Array("h2".utf8))
                case .badProtocols: return [UInt8](repeating: 255, count: 60_000)
                case .emptyProtocol: return list([0, 2] + Array("h2".utf8))
                case .noProtocols: return list([])
                case .protocolsPastTheEnd: return list([2] + Array("h2".utf8) + [9, 1])
                }
            }
        }

        @Test("Extensions of a hello may be large, but not malformed", arguments: Extension.allCases)
        private func hello(added: Extension) throws {
            var wire = try wire(.tls13, protocols: ["http/1.1", "h2"])
            wire.client.begin()
            let hello = Self.enlarged(wire.client.takeOutgoing(), added.type, added.body)
            Self.receive(hello, &wire.server, "hello with \(added)")
            #expect((wire.server.failure == nil) == added.isAccepted, "\(wire.server.failure as Any)")
            if added.isAccepted {
                #expect(wire.server.outgoing.count > 500)
            } else {
                #expect(wire.server.outgoing.count < 20 && wire.server.failure?.tls == .malformed)
            }
        }

        @Test("A chain may be long, but not endless", arguments: [TLSVersion.tls12, .tls13], [100, 1_000])
        func chain(version: TLSVersion, count: Int) throws {
            var client = certificates.client()
            client.maximumVersion = version
            var server = certificates.server()
            let issuer = try certificates.contents("ca.pem")
            let chain = try certificates.contents("server.pem") + repeatElement(issuer, count: count).flatMap { $0 }
            server.certificateChain = .text(Bytes(chain))
            var wire = Wire(try TLSContext(client), try TLSContext(server))
            wire.begin()
            wire.send("x")
            wire.run()
            #expect(wire.server.received == (count == 100 ? [120] : []), "\(wire.client.failure as Any)")
            #expect(wire.client.failure?.tls == (count == 100 ? nil : .malformed), "\(wire.client.failure as Any)")
        }
    }
#endif
