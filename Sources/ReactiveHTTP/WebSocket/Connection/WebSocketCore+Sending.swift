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
            ticket.settle(result.mapError { WebSocketError(.connection, $0.message, cause: $0) })
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
            let own = UnsafeTransfer(self)
            let options = TimerOptions(leeway: period / 8, keepsLoopAlive: false)
            keepAliveTimer = loop.schedule(at: loop.now + period, repeating: .fixedDelay(period), options: options) {
                own.value.checkKeepAlive(period)
            }
        }

        private func checkKeepAlive(_ period: Duration) {
            // While this side does not read, or the peer does not, silence says nothing.
            guard state.phase == .open, waiting == nil, output.acceptsValues else { return keepAlive.reset() }
            switch keepAlive.check() {
            case .nothing: break
            case .ping: sink.receive(encoder.control(.ping, Bytes()))
            case .dead: fail(WebSocketError(.timedOut, "\(peerName) did not answer a ping within \(period)"))
            }
        }
    }

    /// Whether the peer has sent something in the last period.
    struct KeepAlive: Equatable {
        enum Action: Equatable {
            case nothing, ping, dead
        }

        private var hasReceived = false
        private var hasPinged = false

        mutating func received() {
            hasReceived = true
            hasPinged = false
        }

        mutating func reset() { self = KeepAlive() }

        /// Called once in each period.
        mutating func check() -> Action {
            defer { hasReceived = false }
            if hasReceived { return .nothing }
            if hasPinged { return .dead }
            hasPinged = true
            return .ping
        }
    }
#endif
