// SPDX-License-Identifier: MIT
#if HTTP
    public import HTTPTypes
    import ReactiveCore
    public import ReactiveSignals
    public import ReactiveSockets
    import ReactiveSupport

    /// A connection that another protocol takes over, after a response of 101 (RFC 9110 section 7.8).
    public struct HTTPUpgrade: Sendable {
        /// The service of the other protocol. Its result is the bytes for the peer.
        public typealias Start = @Sendable (HTTPUpgrade) -> Signal<Bytes, SocketError>

        /// The connection, for example for its addresses and `Connection.draining`. Do not subscribe to
        /// its `received`: subscribe to ``received``.
        public let connection: Connection
        let unread: UnsafeTransfer<ReceivedBody>

        /// The received bytes, as the content of a message.
        var body: Signal<Bytes, HTTPError> { ReceivedBody.signal(of: unread) }

        /// The bytes that follow the request, or a client's response, including those that arrived with it. It allows
        /// one subscriber, whose pause pauses the connection. Completes at end of stream.
        public var received: Signal<Bytes, SocketError> {
            body.mapError { error in
                error.cause as? SocketError ?? SocketError(.closed, error.message, cause: error)
            }
        }
    }

    extension HTTPMessage<HTTPResponse> {
        /// The connection that another protocol takes over. `nil` unless an ``HTTPClient`` has received this response, and
        /// its status is 101.
        ///
        /// Send with `connection.send(from:)` of the result. Close the connection when the protocol has ended.
        public var upgrade: HTTPUpgrade? {
            if case .upgraded(let upgrade) = body.content { upgrade } else { nil }
        }

        /// The response 101, after which another protocol uses the connection: `.upgrade(to: "websocket") { … }`.
        ///
        /// The request must have no body, or the service must have received it completely. The server writes the fields
        /// `Upgrade` and `Connection`. The limits of ``HTTPLimits`` end with the upgrade. Those of `ConnectionTimeouts`
        /// continue.
        ///
        /// - Parameters:
        ///   - name: The protocol, as in the `Upgrade` field of the request.
        ///   - fields: Further header fields.
        ///   - start: Called once on the connection's loop, when the head has been sent. The connection sends the bytes of
        ///     its result. When the result completes, the connection is closed. When it fails, the connection is reset.
        public static func upgrade(
            to name: String,
            fields: HTTPFields = HTTPFields(),
            _ start: @escaping HTTPUpgrade.Start
        ) -> HTTPMessage {
            var head = HTTPResponse(status: .switchingProtocols, headerFields: fields)
            head.headerFields[.upgrade] = name
            return HTTPMessage(head, body: HTTPBody(.upgrade(start)))
        }
    }
#endif
