// SPDX-License-Identifier: MIT
#if TLS
    import Loops
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets
    import ReactiveTLS

    /// What a connection has received, and what TLS has agreed on.
    private struct Conversation {
        var count = 0
        var agreement = "no byte received"
    }

    extension TLSClient {
        /// Runs the connections, one after the other, on the main thread.
        func talk() throws {
            let main = try loop.main()
            let tls: TLSContext
            do {
                tls = try TLSContext(settings)
            } catch {
                throw Failure(description: error.message)
            }
            let request = try input.map { try File.contents(of: $0) } ?? Bytes()
            let file = try output.map { try File.creating($0) }
            let failure = Property<SocketError?>(nil)
            Signal<Int, SocketError>(values: 0..<connections)
                .flatMap(.concat) { _ in converse(tls, on: main, sending: request, writingTo: file) }
                .subscribe(
                    onValue: { print($0) },
                    onTermination: { termination in
                        if case .failed(let error) = termination { failure.value = error }
                        main.stop()
                    }
                )
            try main.run()
            if let error = failure.value { throw Failure(description: "\(code(of: error)): \(error.message)") }
        }

        /// Talks to the server once. Sends one line when both streams have ended.
        private func converse(
            _ tls: TLSContext,
            on main: any LoopScheduler,
            sending request: Bytes,
            writingTo file: File?
        ) -> Signal<String, SocketError> {
            Connection.connect(toHost: host, port: port, tls: tls, loop: main)
                .flatMap { connection in
                    connection.send(request)
                    if halfClose || count == 0 { connection.finishSending() }
                    return connection.received
                        .reduce(into: Conversation()) { conversation, bytes in
                            let before = conversation.count
                            conversation.count += bytes.count
                            // After the end of the connection, tlsInfo is nil.
                            conversation.agreement = describe(connection)
                            file?.append(bytes)
                            if !halfClose, let count, before < count, conversation.count >= count {
                                connection.finishSending()
                            }
                        }
                        .handleEvents(onTermination: { _ in connection.finishSending() })
                        .map { "received \($0.count) bytes; \($0.agreement)" }
                }
        }

        private var settings: TLSConfiguration {
            var settings = TLSConfiguration()
            settings.trustRoots = ca.map { .file($0) }
            settings.certificateChain = cert.map { .file($0) }
            settings.privateKey = key.map { .file($0) }
            settings.applicationProtocols = alpn
            if version == "1.2" { settings.maximumVersion = .tls12 }
            if version == "1.3" { settings.minimumVersion = .tls13 }
            return settings
        }

        private func describe(_ connection: Connection) -> String {
            guard let info = connection.tlsInfo else { return "unknown" }
            let name = info.applicationProtocol.map { ", \($0)" } ?? ""
            return "\(info.version), \(info.cipher)\(name), \(info.isResumed ? "resumed" : "new")"
        }

        private func code(of error: SocketError) -> String {
            (error.cause as? TLSError)?.code.description ?? error.code.description
        }
    }
#endif
