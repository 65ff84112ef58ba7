// SPDX-License-Identifier: MIT
#if HTTP
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets

    /// The sink of the received bytes.
    struct ReceivedTarget: SinkTarget, ~Copyable {
        private let connection: ServerConnection

        init(_ connection: ServerConnection) { self.connection = connection }

        func receive(_ chunk: Bytes, _: TargetSink<ReceivedTarget>) { connection.receive(chunk) }

        func receive(termination: Termination<SocketError>, _: TargetSink<ReceivedTarget>) {
            connection.receivedEnd(termination)
        }
    }
#endif
