// SPDX-License-Identifier: MIT
#if HTTP
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets

    /// The sink of the received bytes.
    struct ClientInput: SinkTarget, ~Copyable {
        private let connection: ClientConnection

        init(_ connection: ClientConnection) { self.connection = connection }

        func receive(_ chunk: Bytes, _: TargetSink<ClientInput>) { connection.receive(chunk) }

        func receive(termination: Termination<SocketError>, _: TargetSink<ClientInput>) {
            connection.receivedEnd(termination)
        }
    }
#endif
