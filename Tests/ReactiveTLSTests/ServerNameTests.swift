// SPDX-License-Identifier: MIT
#if TLS
    import COpenSSL
    import ReactiveSignals
    import ReactiveSockets
    import Testing

    @testable import ReactiveTLS

    private struct UnknownHost: Error {}

    /// The choice of a context by the client's host name, without sockets and loops.
    @Suite struct ServerNameTests {
        private let certificates = Certificates.shared

        private typealias Choice = @Sendable (String?) -> Signal<TLSContext, any Error>

        private func server(_ choose: @escaping Choice) throws -> TLSContext {
            var settings = certificates.server()
            settings.contextForServerName = choose
            return try TLSContext(settings)
        }

        @Test("The name of the client chooses the certificate", arguments: [TLSVersion.tls12, .tls13])
        func certificate(version: TLSVersion) throws {
            let other = try TLSContext(certificates.server("other"))
            let server = try server { name in name == "other.example" ? .just(other) : .empty }
            for host in ["other.example", "localhost", "127.0.0.1"] {
                var wire = Wire(try certificates.client(version), server, host: host)
                wire.begin()
                #expect(wire.client.failure == nil && wire.server.failure == nil, "\(host)")
                #expect(wire.server.info?.serverName == (host == "127.0.0.1" ? nil : host))
                wire.send("x")
                wire.send("y", fromServer: true)
                wire.run()
                #expect(wire.server.received == [120] && wire.client.received == [121])
            }
        }

        @Test("A second hello must contain the name of the first (RFC 8446 section 4.1.2)", arguments: [true, false])
        func secondHello(isSame: Bool) throws {
            let other = try TLSContext(certificates.server("other"))
            let server = try server { _ in .just(other) }
            var wire = Wire(try certificates.client(.tls13), server, host: "other.example")
            // The server does not support the first of these groups, so it asks for a second hello.
            var groups = Array("P-521:X25519".utf8CString)
            wire.client.callOpenSSL { session in
                #expect(SSL_ctrl(session, SSL_CTRL_SET_GROUPS_LIST, 0, &groups) == 1)
            }
            wire.client.begin()
            wire.server.begin()
            let hello = wire.client.takeOutgoing()
            wire.server.receive(hello)
            wire.server.call { transformer, out throws(SocketError) in try transformer.resume(&out) }
            #expect(wire.server.failure == nil && !wire.server.outgoing.isEmpty && wire.server.info == nil)
            wire.client.callOpenSSL { #expect(reactive_tls_set_host($0, isSame ? "other.example" : "localhost") == 1) }
            wire.run()
            #expect((wire.server.failure == nil) == isSame && (wire.server.info != nil) == isSame)
            if isSame { #expect(wire.server.info?.serverName == "other.example") }
        }

        @Test(
            "An answer may come later, and only the first counts",
            arguments: [TLSVersion.tls12, .tls13],
            [1, 7, Int.max]
        )
        func later(version: TLSVersion, chunk: Int) throws {
            let (other, wrong) = (try TLSContext(certificates.server("other")), try TLSContext(certificates.server()))
            let answers = Subject<TLSContext, any Error>()
            let server = try server { _ in answers.signal }
            var wire = Wire(try certificates.client(version), server, host: "other.example")
            wire.chunk = chunk
            wire.begin()
            wire.send("early", fromServer: true)
            #expect(wire.server.transformer.isSuspended && wire.server.transformer.needsInput)
            #expect(wire.server.info == nil && wire.client.failure == nil)
            answers.send(other)
            answers.send(wrong)
            answers.fail(UnknownHost())
            wire.run()
            #expect(!wire.server.transformer.isSuspended && !wire.server.transformer.needsInput)
            #expect(wire.client.failure == nil && wire.client.received == Array("early".utf8))
        }

        @Test("A refusal sends the alert unrecognized_name", arguments: [TLSVersion.tls12, .tls13])
        func refusal(version: TLSVersion) throws {
            let server = try server { _ in .fail(UnknownHost()) }
            var wire = Wire(try certificates.client(version), server)
            wire.begin()
            #expect(wire.server.failure?.code == .tls && wire.server.failure?.tls == .unknownServerName)
            #expect(wire.client.failure?.tls == .unknownServerName)
            #expect(wire.server.failure?.message.contains("\"localhost\"") == true)
        }

        @Test("A context without a certificate fails the connection")
        func withoutCertificate() throws {
            let empty = try certificates.client(.tls13)
            var wire = Wire(try certificates.client(.tls13), try server { _ in .just(empty) })
            wire.begin()
            #expect(wire.server.failure?.tls == .invalidConfiguration && wire.client.failure?.tls == .alert)
        }

        @Test("The chosen context sets versions, protocols and the request of a certificate")
        func settings() throws {
            var strict = certificates.server("other")
            strict.minimumVersion = .tls13
            strict.applicationProtocols = ["chosen"]
            strict.trustRoots = certificates.file("ca.pem")
            strict.clientCertificates = .required
            let chosen = try TLSContext(strict)
            let server = try server { _ in .just(chosen) }
            var old = Wire(try certificates.client(.tls12), server, host: "other.example")
            old.begin()
            #expect(old.server.failure?.tls == .noCommonVersion && old.client.failure?.tls == .noCommonVersion)
            var anonymous = Wire(try certificates.client(.tls13), server, host: "other.example")
            anonymous.begin()
            #expect(anonymous.server.failure?.tls == .certificateRequired)
            var known = certificates.client()
            known.certificateChain = certificates.file("client.pem")
            known.privateKey = certificates.file("client.key")
            known.applicationProtocols = ["other", "chosen"]
            var wire = Wire(try TLSContext(known), server, host: "other.example")
            wire.begin()
            #expect(wire.server.failure == nil && wire.server.info?.applicationProtocol == "chosen")
            #expect(wire.server.info?.peerCertificate != nil)
        }

        @Test(
            "A session is resumed in the context in which it began, and in no other",
            arguments: [TLSVersion.tls12, .tls13]
        )
        func resumption(version: TLSVersion) throws {
            let (first, second) = (try TLSContext(certificates.server()), try TLSContext(certificates.server()))
            let chosen = Chosen(first)
            let server = try server { _ in .just(chosen.context) }
            let client = try certificates.client(version)
            #expect(Wire.resumes(client, server) == false)
            #expect(Wire.resumes(client, server) == true)
            chosen.context = second
            #expect(Wire.resumes(client, server) == false)
            #expect(Wire.resumes(client, server) == true)
        }

        @Test(
            "A malformed extension is refused",
            arguments: [
                [], [0], [0, 0], [0, 3, 0, 0, 0], [0, 4, 0, 0, 2, 97], [0, 5, 0, 0, 1, 97], [0, 4, 1, 0, 1, 97],
                [0, 4, 0, 0, 1, 0], [0, 4, 0, 0, 1, 32], [0, 4, 0, 0, 1, 200], [1, 4, 0, 0, 1, 97],
                [0, 8, 0, 0, 1, 97, 0, 0, 1, 98], [255, 255, 0, 255, 255],
            ] as [[UInt8]]
        )
        func malformed(bytes: [UInt8]) {
            #expect(TLSSession.serverName(in: bytes) == nil)
        }

        @Test("A name has at most 255 bytes", arguments: [(1, true), (255, true), (256, false)])
        func length(count: Int, isValid: Bool) {
            func pair(_ number: Int) -> [UInt8] { [UInt8(number >> 8), UInt8(number & 255)] }
            let bytes = pair(count + 3) + [0] + pair(count) + [UInt8](repeating: 97, count: count)
            #expect((TLSSession.serverName(in: bytes) != nil) == isValid)
        }

        @Test("Changed hellos are refused or answered, also while the answer is pending")
        func mutations() throws {
            let own = try TLSContext(certificates.server())
            let answers = Subject<TLSContext, any Error>()
            let server = try server { name in name == "localhost" ? .just(own) : answers.signal }
            let client = try certificates.client(.tls13)
            var pending: [Wire] = []
            for place in 0..<500 {
                var wire = Wire(client, server)
                wire.tamper = { bytes in
                    var changed = Array(bytes)
                    if !changed.isEmpty { changed[place % changed.count] ^= 0x15 }
                    return Bytes(changed)
                }
                wire.begin()
                #expect(wire.server.received.isEmpty)
                if wire.server.transformer.isSuspended { pending.append(wire) }
            }
            #expect(!pending.isEmpty)
            answers.send(own)
            for number in pending.indices {
                pending[number].run()
                #expect(!pending[number].server.transformer.isSuspended)
            }
        }
    }

    private final class Chosen: @unchecked Sendable {
        var context: TLSContext
        init(_ context: TLSContext) { self.context = context }
    }
#endif
