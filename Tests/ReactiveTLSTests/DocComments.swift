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
#endif
