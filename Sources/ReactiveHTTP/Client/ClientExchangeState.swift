// SPDX-License-Identifier: MIT
#if HTTP
    /// The state of a client's connection: what is sent, what arrives, and whether another request may follow.
    ///
    /// A connection carries one request at a time. The transitions call no other code, so tests need no socket. Each asserts
    /// the states from which it is legal.
    struct ClientExchangeState: Equatable {
        /// The side that the client sends.
        enum Request: Equatable {
            case idle
            /// The head has been sent, and the body waits for `100 Continue`.
            case awaitingContinue
            /// The head has been sent, and the body follows.
            case body
            case complete
            /// The rest of the body is not sent.
            case stopped
        }

        /// The side that the server sends.
        enum Response: Equatable {
            /// There is no request. A byte that arrives belongs to no response.
            case idle
            case awaited
            /// The head has arrived, and the body follows.
            case body
            /// Another protocol uses the connection.
            case upgraded
            /// Nothing more is sent or received.
            case closed
        }

        /// The number of informational responses that may precede a response.
        static let informationalLimit = 32

        private(set) var request = Request.idle
        private(set) var response = Response.idle
        /// Whether another request may follow the current one.
        private(set) var keepsAlive = true
        /// The number of requests that have begun.
        private(set) var requests = 0
        /// Whether a byte has arrived since the current request began.
        private(set) var hasReceived = false
        private var informational = 0

        var isIdle: Bool { response == .idle }
        var isClosed: Bool { response == .closed }
        /// Whether the connection has served a request before the current one.
        var isReused: Bool { requests > 1 }
        var isSending: Bool { request == .body || request == .awaitingContinue }

        mutating func begin(keepsAlive: Bool, hasBody: Bool, awaitsContinue: Bool) {
            assert(request == .idle && response == .idle && self.keepsAlive, "a request begins in \(self)")
            request = awaitsContinue ? .awaitingContinue : hasBody ? .body : .complete
            response = .awaited
            self.keepsAlive = keepsAlive
            requests += 1
            hasReceived = false
            informational = 0
        }

        // MARK: Sending

        /// Records that the body is sent, because of `100 Continue` or because the wait has taken too long. Returns false
        /// if it does not wait.
        mutating func continueRequest() -> Bool {
            guard request == .awaitingContinue else { return false }
            request = .body
            return true
        }

        mutating func endRequest() {
            assert(request == .body || request == .complete, "a request ends in \(self)")
            request = .complete
        }

        /// Records that the rest of the body is not sent. The server cannot find the next request then. `isQueued` means
        /// that a long part of a complete request waits in the connection's queue.
        mutating func stopRequest(isQueued: Bool) {
            guard isSending || isQueued && request == .complete else { return }
            request = .stopped
            keepsAlive = false
        }

        // MARK: Receiving

        mutating func receiveBytes() { hasReceived = true }

        /// Returns whether the server may send another informational response.
        mutating func receiveInformational() -> Bool {
            informational += 1
            return informational <= Self.informationalLimit
        }

        mutating func receiveHead(keepsAlive: Bool) {
            assert(response == .awaited, "a response begins in \(self)")
            response = .body
            if !keepsAlive { self.keepsAlive = false }
        }

        /// Ends the exchange. A request that is not complete stops.
        mutating func receiveEnd() {
            assert(response == .body, "a response ends in \(self)")
            stopRequest(isQueued: false)
            request = .idle
            response = .idle
        }

        mutating func upgrade() {
            assert(response == .awaited || response == .body, "an upgrade in \(self)")
            response = .upgraded
            keepsAlive = false
        }

        mutating func close() {
            response = .closed
            keepsAlive = false
        }
    }
#endif
