// SPDX-License-Identifier: MIT
#if HTTP
    import HTTPTypes
    import ReactiveSupport

    /// The handshake of a client (RFC 6455 section 4.1): it makes the fields of the request, and checks the response.
    struct ClientHandshake: Sendable {
        private let key: String
        private let configuration: WebSocketConfiguration

        /// - Parameter nonce: 16 random bytes.
        init(_ configuration: WebSocketConfiguration, nonce: [UInt8] = ClientHandshake.randomNonce()) {
            key = Base64.encode(nonce)
            self.configuration = configuration
        }

        private static func randomNonce() -> [UInt8] {
            var generator = SystemRandomNumberGenerator()
            return (0..<16).map { _ in generator.next() }
        }

        /// The fields of the request.
        var fields: HTTPFields {
            var fields: HTTPFields = [
                .upgrade: "websocket", .connection: "Upgrade", .secWebSocketVersion: "13", .secWebSocketKey: key,
            ]
            if !configuration.subprotocols.isEmpty {
                fields[.secWebSocketProtocol] = configuration.subprotocols.joined(separator: ", ")
            }
            if let compression = configuration.compression {
                fields[.secWebSocketExtensions] = DeflateAgreement.offer(compression)
            }
            return fields
        }

        /// Checks the response.
        ///
        /// - Returns: The chosen subprotocol and the compression.
        /// - Throws: `handshakeFailed`.
        func check(
            _ response: HTTPResponse
        ) throws(WebSocketError) -> (subprotocol: String?, compression: DeflateAgreement?) {
            let received = response.headerFields
            guard response.status == .switchingProtocols else {
                throw failure("it answered with the status \(response.status)")
            }
            guard HTTPFields.contains("websocket", in: received[.upgrade]),
                HTTPFields.contains("upgrade", in: received[.connection])
            else { throw failure("its answer lacks Upgrade: websocket or Connection: upgrade") }
            guard received[.secWebSocketAccept] == ServerHandshake.accept(key) else {
                throw failure("Sec-WebSocket-Accept does not match the key")
            }
            let subprotocol = received[.secWebSocketProtocol]
            if let subprotocol, !configuration.subprotocols.contains(subprotocol) {
                throw failure("it chose the subprotocol \(subprotocol), which was not offered")
            }
            guard let answers = WebSocketExtension.list(received[.secWebSocketExtensions] ?? "") else {
                throw failure("Sec-WebSocket-Extensions is malformed")
            }
            guard let answer = answers.first else { return (subprotocol, nil) }
            guard answers.count == 1, let compression = configuration.compression,
                let agreement = DeflateAgreement.confirm(answer, compression)
            else { throw failure("it chose extensions that were not offered: \(answer.name)") }
            return (subprotocol, agreement)
        }

        private func failure(_ reason: String) -> WebSocketError {
            WebSocketError(.handshakeFailed, "the server did not accept the WebSocket: \(reason)")
        }
    }
#endif
