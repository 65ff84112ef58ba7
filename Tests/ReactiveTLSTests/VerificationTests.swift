// SPDX-License-Identifier: MIT
#if TLS
    import ReactiveSockets
    import ReactiveTLS
    import Testing

    @Suite struct VerificationTests {
        private let certificates = Certificates.shared

        @Test(
            "A certificate that cannot be verified fails with its reason",
            arguments: [
                ("other", TLSError.Code.wrongHost), ("expired", .certificateExpired), ("self", .unknownIssuer),
            ]
        )
        func refused(name: String, code: TLSError.Code) throws {
            var wire = try Wire(certificates.client(), certificates.server(name))
            wire.begin()
            #expect(wire.client.failure?.code == .tls)
            #expect(wire.client.failure?.tls == code, "\(String(describing: wire.client.failure))")
            #expect(wire.server.failure?.tls == .alert, "\(String(describing: wire.server.failure))")
        }

        @Test("An address is verified like a name", arguments: [("127.0.0.1", true), ("127.0.0.2", false)])
        func address(host: String, isValid: Bool) throws {
            var wire = try Wire(certificates.client(), certificates.server(), host: host)
            wire.begin()
            #expect(wire.client.failure?.tls == (isValid ? nil : .wrongHost))
        }

        @Test("insecureDoNotVerify accepts every certificate", arguments: ["other", "expired", "self"])
        func insecure(name: String) throws {
            var client = certificates.client()
            client.verification = .insecureDoNotVerify
            var wire = try Wire(client, certificates.server(name))
            wire.begin()
            wire.send("x")
            wire.run()
            #expect(wire.client.failure == nil && wire.server.received == [120])
        }

        @Test("A server that requires a certificate refuses a client without one")
        func clientCertificate() throws {
            var server = certificates.server()
            server.trustRoots = certificates.file("ca.pem")
            server.clientCertificates = .required
            var wire = try Wire(certificates.client(), server)
            wire.begin()
            #expect(wire.server.failure?.tls == .certificateRequired)
            #expect(wire.client.failure?.tls == .certificateRequired)
            var client = certificates.client()
            client.certificateChain = certificates.file("client.pem")
            client.privateKey = certificates.file("client.key")
            wire = try Wire(client, server)
            wire.begin()
            #expect(wire.server.failure == nil && wire.client.failure == nil)
        }

        @Test("Two sides without a common version fail with noCommonVersion")
        func versions() throws {
            var (client, server) = (certificates.client(), certificates.server())
            client.maximumVersion = .tls12
            server.minimumVersion = .tls13
            var wire = try Wire(client, server)
            wire.begin()
            #expect(wire.client.failure?.tls == .noCommonVersion && wire.server.failure?.tls == .noCommonVersion)
        }

        @Test("The server picks the first of its protocols that the client offers, or refuses")
        func protocols() throws {
            var (client, server) = (certificates.client(), certificates.server())
            server.applicationProtocols = ["h2", "http/1.1"]
            client.applicationProtocols = ["other", "http/1.1"]
            var wire = try Wire(client, server)
            wire.begin()
            #expect(wire.client.failure == nil && wire.server.failure == nil)
            client.applicationProtocols = ["other"]
            wire = try Wire(client, server)
            wire.begin()
            #expect(wire.client.failure?.tls == .noCommonProtocol && wire.server.failure?.tls == .noCommonProtocol)
        }

        @Test("A context names the file that is wrong")
        func files() {
            func code(_ chain: PEM, _ key: PEM) -> TLSError.Code? {
                do throws(TLSError) {
                    _ = try TLSContext(.server(certificateChain: chain, privateKey: key))
                    return nil
                } catch { return error.code }
            }
            let (chain, key) = (certificates.file("server.pem"), certificates.file("server.key"))
            #expect(code(chain, key) == nil)
            #expect(code(.file("/nowhere"), key) == .unreadable)
            #expect(code(chain, .text("nothing")) == .unreadable)
            #expect(code(key, key) == .unreadable)
            #expect(code(chain, certificates.file("client.key")) == .keyMismatch)
        }
    }
#endif
