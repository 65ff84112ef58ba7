// SPDX-License-Identifier: MIT
#if HTTP
    /// The state of a server's connection: what arrives, what is sent, and whether another request may follow.
    ///
    /// The connection serves one request at a time (RFC 9112 section 9.3.2): it parses the next head when the current
    /// exchange has ended. The transitions call no other code, so tests need no socket. Each asserts the states from which it
    /// is legal.
    struct ExchangeState: Equatable {
        /// The side that the peer sends.
        enum Incoming: Equatable {
            /// No byte of the next request has arrived.
            case idle
            /// A part of a head has arrived.
            case head
            /// The head has arrived, and its body follows.
            case body
            /// The current request is complete.
            case complete
            /// Nothing more is parsed: the peer has ended its stream, the framing is lost, or this side closes.
            case closed
        }

        /// The side that the server sends.
        enum Outgoing: Equatable {
            /// No request waits for a response.
            case idle
            /// The handler has the request.
            case awaiting
            /// The head has been sent, and the body follows.
            case body
            /// The response is complete, but its request is not.
            case complete
            /// Another protocol uses the connection.
            case upgraded
            /// Nothing more is sent.
            case closed
        }

        private(set) var incoming = Incoming.idle
        private(set) var outgoing = Outgoing.idle
        /// Whether another request may follow the current one.
        private(set) var keepsAlive = true
        /// The number of requests whose heads have arrived.
        private(set) var requests = 0

        /// Whether the parser may look for a head.
        var awaitsHead: Bool {
            switch (incoming, outgoing) {
            case (.idle, .idle), (.head, .idle): keepsAlive
            default: false
            }
        }

        /// Whether the connection may be closed without a loss: no exchange has begun.
        var isBetweenRequests: Bool { incoming == .idle && outgoing == .idle }

        /// Whether the response can still begin.
        var awaitsResponse: Bool { outgoing == .awaiting }

        /// Whether everything has been sent and nothing more may be sent.
        var isClosed: Bool { outgoing == .closed }

        // MARK: Receiving

        /// Records that a part of a head has arrived.
        mutating func beginHead() {
            assert(awaitsHead, "a head arrives in \(self)")
            incoming = .head
        }

        /// Records a complete head. The handler receives the request next.
        mutating func receiveHead(hasBody: Bool, keepsAlive: Bool) {
            assert(awaitsHead, "a request arrives in \(self)")
            incoming = hasBody ? .body : .complete
            outgoing = .awaiting
            self.keepsAlive = keepsAlive
            requests += 1
        }

        /// Records the end of the request. Returns whether the exchange has ended.
        mutating func receiveEnd() -> Bool {
            assert(incoming != .idle && incoming != .head, "a request ends in \(self)")
            if incoming == .body { incoming = .complete }
            return endExchange()
        }

        /// Records that nothing more can be parsed. A response under way is still sent.
        mutating func closeIncoming() {
            incoming = .closed
            keepsAlive = false
        }

        // MARK: Sending

        /// Records that the connection closes after the current response.
        mutating func endAfterResponse() { keepsAlive = false }

        /// Records the head of the response.
        mutating func beginResponse() {
            assert(outgoing == .awaiting, "a response begins in \(self)")
            outgoing = .body
        }

        /// Records the end of the response. Returns whether the exchange has ended.
        mutating func endResponse() -> Bool {
            // The connection may have failed while the last bytes were sent.
            if isClosed { return false }
            assert(outgoing == .body || outgoing == .awaiting, "a response ends in \(self)")
            outgoing = .complete
            return endExchange()
        }

        /// Records that another protocol uses the connection.
        mutating func upgrade() {
            assert(outgoing == .awaiting || outgoing == .body, "an upgrade in \(self)")
            incoming = .closed
            outgoing = .upgraded
            keepsAlive = false
        }

        /// Records that nothing more is received or sent.
        mutating func close() {
            incoming = .closed
            outgoing = .closed
            keepsAlive = false
        }

        /// Begins the next exchange if both sides of this one are complete.
        private mutating func endExchange() -> Bool {
            guard outgoing == .complete, incoming == .complete || incoming == .closed else { return false }
            if incoming == .complete { incoming = .idle }
            outgoing = .idle
            return true
        }
    }
#endif
