// SPDX-License-Identifier: MIT
#if TLS
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets
    import ReactiveTLS

    // The snippets of Docs/TLS.md and of the page of ReactiveTLS. `make test-tls` tests these calls in the examples.

    private func serve(on address: SocketAddress, loops: LoopGroup) throws -> Server {
        let tls = try TLSContext(.server(certificateChain: .file("chain.pem"), privateKey: .file("key.pem")))
        let server = try Server(on: address, loops: loops, transformer: tls.server) { connection in
            connection.send(from: connection.received)
        }
        return server
    }

    private func fetch(on loop: any LoopScheduler) throws {
        let tls = try TLSContext()  // trusts the certificates of the system
        Connection.connect(toHost: "example.org", port: 443, tls: tls, loop: loop)
            .flatMap { connection -> Signal<Bytes, SocketError> in
                connection.send("GET / HTTP/1.1\r\nHost: example.org\r\nConnection: close\r\n\r\n")
                return connection.received
            }
            .subscribe(
                onValue: { print($0) },
                onTermination: { if case .failed(let error) = $0 { print("failed:", error) } }
            )
    }

    private func trustPrivateAuthority() throws -> TLSContext {
        var settings = TLSConfiguration()
        settings.trustRoots = .file("ca.pem")
        let tls = try TLSContext(settings)
        return tls
    }

    private func requireClientCertificates() throws -> TLSContext {
        var settings = TLSConfiguration.server(certificateChain: .file("chain.pem"), privateKey: .file("key.pem"))
        settings.trustRoots = .file("clients-ca.pem")
        settings.clientCertificates = .required
        let tls = try TLSContext(settings)
        return tls
    }

    private func sendClientCertificate() throws -> TLSContext {
        var settings = TLSConfiguration()
        settings.certificateChain = .file("client.pem")
        settings.privateKey = .file("client-key.pem")
        let tls = try TLSContext(settings)
        return tls
    }

    private func offerProtocols(_ settings: inout TLSConfiguration) {
        settings.applicationProtocols = ["imap"]
    }

    private struct UnknownHost: Error {}

    private func chooseByName(_ settings: inout TLSConfiguration, _ contexts: [String: TLSContext]) {
        settings.contextForServerName = { name in
            guard let name, let tls = contexts[name] else { return .fail(UnknownHost()) }
            return .just(tls)
        }
    }

    private func upgrade(_ connection: Connection, _ tls: TLSContext) {
        connection.send(line: "220 ready")
        connection.startTLS(tls, as: .server)
    }

    private func reload(_ tls: TLSContext, _ main: any LoopScheduler) throws {
        _ = try main.onSignal(.hangUp) {
            do {
                try tls.reload()
            } catch {
                print("the old certificate stays in use:", error)
            }
        }
    }

    private func explain(_ connection: Connection) {
        connection.received.subscribe(
            onValue: { print(connection.tlsInfo?.version ?? "no TLS", $0) },
            onTermination: { termination in
                guard case .failed(let error) = termination, let tls = error.cause as? TLSError else { return }
                switch tls.code {
                case .truncated: print("the end is missing")
                case .certificateExpired, .wrongHost, .unknownIssuer: print("refused:", tls.message)
                default: print(tls.code, tls.message)
                }
            }
        )
    }
#endif
