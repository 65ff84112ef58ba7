// SPDX-License-Identifier: MIT
#if HTTP
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets

    /// Sending the messages of signals.
    extension WebSocketCore: SignalDestination {
        /// Sends a message of a source. Pauses the source while the peer does not read.
        func write(_ message: WebSocketMessage, from source: SignalSubscription) {
            guard state.acceptsMessages else { return }
            let (head, payload) = frame(message)
            sink.receive(head)
            if let payload { sink.receive(payload) }
            if output.isPaused { pause(source) }
        }

        func whenWritten(_ settle: @escaping @Sendable (Termination<WebSocketError>) -> Void) {
            connection.send(Bytes()).mapError(WebSocketError.connection).subscribe(onTermination: settle)
        }

        /// Closes after the last message of a source.
        func sourceEnded(
            _ termination: Termination<WebSocketError>,
            _ settle: @escaping @Sendable (Termination<WebSocketError>) -> Void
        ) {
            switch termination {
            case .completed:
                close(WebSocketClose(.normal))
                whenWritten(settle)
            case .failed:
                settle(termination)
                close(WebSocketClose(.internalError))
            }
        }

        static var writing: StaticString { "WebSocket.send(from:)" }

        static func failure(ofSource failure: any Error) -> WebSocketError {
            WebSocketError(.sourceFailed, "the source of a WebSocket's messages failed: \(failure)", cause: failure)
        }
    }
#endif
