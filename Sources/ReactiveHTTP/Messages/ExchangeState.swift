// SPDX-License-Identifier: MIT
#if HTTP
    /// The state of a connection of a server or of a client: the parts of the request and of the response that have been
    /// transferred, and whether another request may follow.
    ///
    /// A connection carries one request at a time (RFC 9112 section 9.3.2). Both sides make the same transitions. A state or a
    /// transition of one side names that side. The transitions call no other code, so tests need no socket. Each asserts the
    /// states from which it is legal.
    struct ExchangeState: Equatable {
        /// The side that the client sends.
        enum Request: Equatable {
            /// No byte of the next request has been transferred.
            case idle
            /// A server has received a part of a head.
            case head
            /// A client has sent the head, and its body waits for `100 Continue`.
            case awaitingContinue
            /// The head has been transferred, and the body follows.
            case body
            case complete
            /// The rest is not transferred. A client does not send it, or a server parses nothing more: the peer has ended
            /// its stream, the framing is lost, or this side closes.
            case closed
        }

        /// The side that the server sends.
        enum Response: Equatable {
            /// No request waits for a response. A byte that a client receives belongs to no response.
            case idle
            /// The request waits for its response.
            case awaited
            /// The head has been transferred, and the body follows.
            case body
            /// The response is complete, but its request is not.
            case complete
            /// Another protocol uses the connection.
            case upgraded
            /// Nothing more is sent or received.
            case closed
        }

        /// The number of informational responses that may precede a response.
        static let informationalLimit: UInt8 = 32

        private(set) var request = Request.idle
        private(set) var response = Response.idle
        /// Whether another request may follow the current one.
        private(set) var keepsAlive = true
        /// Whether a client has received a byte since the current request began.
        private(set) var hasReceived = false
        private var informational: UInt8 = 0
        /// The number of requests that have begun.
        private(set) var requests = 0

        /// Whether the next request may begin, or go on with its head.
        var awaitsRequest: Bool { keepsAlive && response == .idle && (request == .idle || request == .head) }

        /// Whether the connection may be closed without a loss: no exchange has begun.
        var isBetweenRequests: Bool { request == .idle && response == .idle }

        /// Whether no exchange is under way. A server may have received a part of the next head.
        var isIdle: Bool { response == .idle }

        /// Whether the response can still begin.
        var awaitsResponse: Bool { response == .awaited }

        /// Whether nothing more may be sent or received.
        var isClosed: Bool { response == .closed }

        /// Whether the connection has served a request before the current one.
        var isReused: Bool { requests > 1 }

        /// Whether the body of the request is not complete.
        var isSending: Bool { request == .body || request == .awaitingContinue }

        // MARK: The request

        /// Records that a server has received a part of a head.
        mutating func beginHead() {
            assert(awaitsRequest, "a head arrives in \(self)")
            request = .head
        }

        /// Records a complete head.
        mutating func begin(hasBody: Bool, awaitsContinue: Bool = false, keepsAlive: Bool) {
            assert(awaitsRequest, "a request begins in \(self)")
            request = awaitsContinue ? .awaitingContinue : hasBody ? .body : .complete
            response = .awaited
            self.keepsAlive = keepsAlive
            requests += 1
            hasReceived = false
            informational = 0
        }

        /// Records that a client sends the body, because of `100 Continue` or because the wait has taken too long. Returns
        /// false if it does not wait.
        mutating func continueRequest() -> Bool {
            guard request == .awaitingContinue else { return false }
            request = .body
            return true
        }

        /// Records the end of the request. Returns whether the exchange has ended.
        @discardableResult
        mutating func endRequest() -> Bool {
            assert(request == .body || request == .complete || request == .closed, "a request ends in \(self)")
            if request == .body { request = .complete }
            return endExchange()
        }

        /// Records that the rest of the request is not transferred. A response under way still is.
        mutating func closeRequest() {
            request = .closed
            keepsAlive = false
        }

        // MARK: The response

        /// Records that a client has received bytes.
        mutating func receiveBytes() { hasReceived = true }

        /// Returns whether the server may send another informational response.
        mutating func receiveInformational() -> Bool {
            if informational >= Self.informationalLimit { return false }
            informational += 1
            return true
        }

        /// Records that the connection closes after the current response.
        mutating func endAfterResponse() { keepsAlive = false }

        /// Records the head of the response. A server also responds to a request whose head is invalid or late.
        mutating func beginResponse() {
            assert(awaitsResponse || isIdle && request == .closed, "a response begins in \(self)")
            response = .body
        }

        /// Records the end of the response. Returns whether the exchange has ended.
        @discardableResult
        mutating func endResponse() -> Bool {
            // The connection may have failed while the last bytes were sent.
            if isClosed { return false }
            assert(response == .body, "a response ends in \(self)")
            response = .complete
            return endExchange()
        }

        /// Begins the next exchange if both sides of this one are complete.
        private mutating func endExchange() -> Bool {
            guard response == .complete, request == .complete || request == .closed else { return false }
            if request == .complete { request = .idle }
            response = .idle
            return true
        }

        // MARK: The connection

        /// Records that another protocol uses the connection.
        mutating func upgrade() {
            assert(request == .complete, "an upgrade in \(self)")
            assert(awaitsResponse || response == .body, "an upgrade in \(self)")
            closeRequest()
            response = .upgraded
        }

        /// Records that nothing more is received or sent.
        mutating func close() {
            closeRequest()
            response = .closed
        }
    }
#endif
