// SPDX-License-Identifier: MIT
#if TLS
    import ReactiveSignals
    import ReactiveSockets
    import ReactiveTLS

    /// The snippets of the doc comments.
    private func serve(on address: SocketAddress, loops: LoopGroup) throws -> Server {
        let tls = try TLSContext(.server(certificateChain: .file("chain.pem"), privateKey: .file("key.pem")))
        let server = try Server(on: address, loops: loops, transformer: tls.server) { connection in
            connection.send(from: connection.received)
        }
        return server
    }

    private struct UnknownHost: Error {}

    private func choose(_ contextOfA: TLSContext) -> TLSConfiguration {
        var configuration = TLSConfiguration()
        configuration.contextForServerName = { name in
            name == "a.example" ? .just(contextOfA) : .fail(UnknownHost())
        }
        return configuration
    }

    private func upgrade(_ connection: Connection, _ tls: TLSContext, handle: (String) -> Void) async throws {
        guard try await connection.lines.first() == "STARTTLS" else { return connection.close() }
        connection.send(line: "220 ready")
        connection.startTLS(tls, as: .server)
        for try await line in connection.lines.values { handle(line) }
    }
#endif
