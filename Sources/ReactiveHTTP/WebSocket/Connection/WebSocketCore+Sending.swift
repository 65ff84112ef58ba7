// SPDX-License-Identifier: MIT
#if HTTP
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets
    import ReactiveSupport

    /// Messages, pongs and pings.
    extension WebSocketCore {
        /// Sends a message. The result is that of the connection.
        func send(_ message: WebSocketMessage, _ ticket: WebSocketTicket) {
            if let refusal { return ticket.settle(.fail(refusal)) }
            let (head, payload) = frame(message)
            var result = connection.send(head)
            if let payload { result = connection.send(payload) }
            ticket.settle(result.mapError(WebSocketError.connection))
        }

        /// Encodes a message as one frame.
        func frame(_ message: WebSocketMessage) -> (Bytes, Bytes?) {
            let (opcode, payload): (Opcode, Bytes) =
                switch message {
                case .text(let text): (.text, Bytes(text))
                case .binary(let bytes): (.binary, bytes)
                }
            if let compressor, let compressed = compressor.compress(payload) {
                return encoder.frame(opcode, compressed, isCompressed: true)
            }
            return encoder.frame(opcode, payload)
        }

        // MARK: Control frames

        /// Answers a ping. While the peer does not read, only the latest one is kept (RFC 6455 section 5.5.3).
        func sendPong(_ payload: Bytes) {
            guard state.acceptsMessages else { return }
            if output.isPaused {
                waitingPong = payload.compacted()
            } else {
                sink.receive(encoder.control(.pong, payload))
            }
        }

        func startKeepAlive(_ period: Duration) {
            silence = StallClock(connection.receivedTotal)
            let own = UnsafeTransfer(self)
            let options = TimerOptions(leeway: period / 8, keepsLoopAlive: false)
            keepAliveTimer = loop.schedule(at: loop.now + period, repeating: .fixedDelay(period), options: options) {
                own.value.checkKeepAlive(period)
            }
        }

        private func checkKeepAlive(_ period: Duration) {
            // While this side does not read, or the peer does not, silence says nothing.
            let received = connection.receivedTotal
            guard state.phase == .open, waiting == nil, output.acceptsValues else {
                return silence = StallClock(received)
            }
            switch silence.check(received) {
            case 0: break
            case 1: sink.receive(encoder.control(.ping, Bytes()))
            default: fail(WebSocketError(.timedOut, "\(peerName) did not answer a ping within \(period)"))
            }
        }
    }
#endif
