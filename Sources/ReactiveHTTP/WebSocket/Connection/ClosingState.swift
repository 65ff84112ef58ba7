// SPDX-License-Identifier: MIT
#if HTTP
    /// The closing handshake of one side (RFC 6455 section 7).
    ///
    /// The transitions call no other code, so tests need no connection.
    struct ClosingState: Equatable {
        enum Phase: Equatable {
            /// Messages are sent and received.
            case open
            /// This side has sent a Close frame and waits for that of the peer. Received messages are discarded.
            case closeSent
            /// Both Close frames have been exchanged. A client waits for the end of the server's stream.
            case handshakeDone
            /// Nothing more is sent or received.
            case closed
        }

        private(set) var phase = Phase.open
        /// The Close frame of the peer.
        private(set) var received: WebSocketClose?

        /// Whether messages may be sent.
        var acceptsMessages: Bool { phase == .open }

        /// Whether received bytes are still decoded.
        var decodes: Bool { phase == .open || phase == .closeSent }

        /// Records that this side begins the handshake. Returns false if it has begun or ended already.
        mutating func begin() -> Bool {
            guard phase == .open else { return false }
            phase = .closeSent
            return true
        }

        /// Records the Close frame of the peer. Returns whether it must be answered.
        mutating func receive(_ close: WebSocketClose) -> Bool {
            guard decodes else { return false }
            defer { phase = .handshakeDone }
            received = close
            return phase == .open
        }

        /// Records the end. Returns false if it has been recorded before.
        mutating func end() -> Bool {
            defer { phase = .closed }
            return phase != .closed
        }
    }
#endif
