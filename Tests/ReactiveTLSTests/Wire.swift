// SPDX-License-Identifier: MIT
#if TLS
    import ReactiveSockets
    import Testing

    @testable import ReactiveTLS

    /// Two transformers with a wire between them, without sockets and loops.
    struct Wire {
        /// One end, and what it has produced.
        struct End {
            var transformer: any ConnectionTransformer
            var outgoing = Bytes()
            var received: [UInt8] = []
            var failure: SocketError?
            var streamHasEnded = false

            var info: TLSInfo? { (transformer as? TLSSession)?.info }

            mutating func begin() {
                call { transformer, out throws(SocketError) in try transformer.begin(&out) }
            }

            mutating func receive(_ bytes: Bytes) {
                if bytes.isEmpty || failure != nil { return }
                call { transformer, out throws(SocketError) in try transformer.receive(bytes, &out) }
            }

            mutating func takeOutgoing() -> Bytes {
                defer { outgoing = Bytes() }
                return outgoing
            }

            /// Calls OpenSSL as an application without this library would. Its output is part of `outgoing`.
            mutating func callOpenSSL(_ body: (OpaquePointer) -> Void) {
                call { transformer, out throws(SocketError) in
                    guard let session = transformer as? TLSSession else { return }
                    try session.call { () throws(SocketError) in
                        body(session.session)
                        session.takeSpill(&out)
                    }
                }
            }

            mutating func call(
                _ step: (inout any ConnectionTransformer, inout TransformedBytes) throws(SocketError) -> Void
            ) {
                var out = TransformedBytes()
                do throws(SocketError) { try step(&transformer, &out) } catch { failure = failure ?? error }
                outgoing = Bytes(joining: [outgoing, out.contents.peer])
                received += out.contents.application
                if out.endsApplicationStream { streamHasEnded = true }
            }
        }

        /// Completes the handshake, and keeps what the server sends after it, such as tickets, in `server.outgoing`.
        mutating func shakeHands() {
            client.begin()
            for _ in 0..<2 {
                server.receive(client.takeOutgoing())
                if client.transformer.needsInput { client.receive(server.takeOutgoing()) }
            }
        }

        /// The hello of a client.
        static func hello(of client: TLSContext) -> Bytes {
            var end = End(transformer: client.client(host: "localhost")())
            end.begin()
            return end.outgoing
        }

        /// Connects, sends a byte to the client, and closes. Returns whether the session was resumed.
        static func resumes(_ client: TLSContext, _ server: TLSContext) -> Bool? {
            var wire = Wire(client, server)
            wire.begin()
            wire.send("y", fromServer: true)
            wire.run()
            #expect(wire.client.failure == nil && wire.server.failure == nil && wire.client.received == [121])
            wire.finishClient()
            wire.run()
            return wire.client.info?.isResumed
        }

        var client: End
        var server: End
        /// The number of bytes of one chunk.
        var chunk = Int.max
        /// Changes what the client sends before it arrives.
        var tamper: (Bytes) -> Bytes = { $0 }
        /// Changes what the server sends before it arrives.
        var tamperReply: (Bytes) -> Bytes = { $0 }

        init(_ client: TLSConfiguration, _ server: TLSConfiguration, host: String = "localhost") throws {
            try self.init(TLSContext(client), TLSContext(server), host: host)
        }

        init(_ client: TLSContext, _ server: TLSContext, host: String = "localhost") {
            self.client = End(transformer: client.client(host: host)())
            self.server = End(transformer: server.server())
        }

        mutating func begin() {
            client.begin()
            server.begin()
            run()
        }

        /// Resumes a suspended server, and moves bytes until none are on the way.
        mutating func run() {
            resume()
            while !client.outgoing.isEmpty || !server.outgoing.isEmpty {
                let (up, down) = (tamper(client.outgoing), tamperReply(server.outgoing))
                (client.outgoing, server.outgoing) = (Bytes(), Bytes())
                Self.deliver(up, to: &server, chunk)
                Self.deliver(down, to: &client, chunk)
                resume()
            }
        }

        /// Resumes a suspended server, as a connection does after an answer. Without an answer it stays suspended.
        private mutating func resume() {
            guard server.transformer.isSuspended, server.failure == nil else { return }
            server.call { transformer, out throws(SocketError) in try transformer.resume(&out) }
        }

        private static func deliver(_ bytes: Bytes, to end: inout End, _ chunk: Int) {
            var start = bytes.startIndex
            while start < bytes.endIndex, end.failure == nil {
                let next = bytes.endIndex - start > chunk ? start + chunk : bytes.endIndex
                let piece = bytes[start..<next]
                end.call { transformer, out throws(SocketError) in try transformer.receive(piece, &out) }
                start = next
            }
        }

        mutating func send(_ bytes: Bytes, fromServer: Bool = false) {
            if fromServer {
                server.call { transformer, out throws(SocketError) in try transformer.send(bytes, &out) }
            } else {
                client.call { transformer, out throws(SocketError) in try transformer.send(bytes, &out) }
            }
        }

        mutating func finishClient() {
            client.call { transformer, out throws(SocketError) in try transformer.finishSending(&out) }
        }
    }

    extension SocketError {
        var tls: TLSError.Code? { (cause as? TLSError)?.code }
    }
#endif
