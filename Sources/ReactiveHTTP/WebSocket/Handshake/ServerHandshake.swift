// SPDX-License-Identifier: MIT
#if HTTP
    import HTTPTypes
    import ReactiveSupport

    /// The handshake of a server (RFC 6455 section 4.2): it checks a request, and gives the fields of the response.
    struct ServerHandshake: Sendable {
        /// Why a request is refused.
        struct Refusal: Error, Equatable {
            let status: HTTPResponse.Status
            let message: String
            /// The fields that tell the client what is accepted.
            var fields = HTTPFields()
        }

        /// The fields of the response 101, without `Upgrade` and `Connection`.
        let fields: HTTPFields
        let subprotocol: String?
        let compression: DeflateAgreement?

        init(_ request: HTTPRequest, hasBody: Bool, _ configuration: WebSocketConfiguration) throws(Refusal) {
            let received = request.headerFields
            guard HTTPFields.contains("websocket", in: received[.upgrade]),
                HTTPFields.contains("upgrade", in: received[.connection])
            else {
                let message =
                    "this resource is a WebSocket: the request needs Upgrade: websocket and Connection: upgrade"
                throw Refusal(status: .upgradeRequired, message: message, fields: [.upgrade: "websocket"])
            }
            guard request.method == .get, !hasBody else {
                throw Refusal(status: .badRequest, message: "the handshake of a WebSocket is a GET without a body")
            }
            guard received[.secWebSocketVersion] == "13" else {
                throw Refusal(
                    status: .upgradeRequired,
                    message: "the version of the WebSocket protocol must be 13",
                    fields: [.upgrade: "websocket", .secWebSocketVersion: "13"]
                )
            }
            guard let key = received[.secWebSocketKey], Base64.decodedCount(key) == 16 else {
                throw Refusal(status: .badRequest, message: "Sec-WebSocket-Key must be 16 bytes in base64")
            }
            let origins = received[values: .origin]
            guard origins.count <= 1, Self.allows(origins.first, configuration.origins, host: request.authority) else {
                throw Refusal(status: .forbidden, message: "the origin of this page may not connect")
            }
            var fields: HTTPFields = [.secWebSocketAccept: Self.accept(key)]
            subprotocol = try Self.subprotocol(received[.secWebSocketProtocol], configuration.subprotocols)
            if let subprotocol { fields[.secWebSocketProtocol] = subprotocol }
            guard let offers = WebSocketExtension.list(received[.secWebSocketExtensions] ?? "") else {
                throw Refusal(status: .badRequest, message: "Sec-WebSocket-Extensions is malformed")
            }
            let accepted = configuration.compression.flatMap { DeflateAgreement.accept(offers, $0) }
            if let accepted { fields[.secWebSocketExtensions] = accepted.answer }
            compression = accepted?.agreement
            self.fields = fields
        }

        /// The value of `Sec-WebSocket-Accept` for a key (RFC 6455 section 4.2.2).
        static func accept(_ key: String) -> String {
            Base64.encode(SHA1.digest(of: Array("\(key)258EAFA5-E914-47DA-95CA-C5AB0DC85B11".utf8)))
        }

        /// Chooses the first own subprotocol that the client offers.
        private static func subprotocol(_ offer: String?, _ own: [String]) throws(Refusal) -> String? {
            guard let offer else { return nil }
            let offered = HTTPFields.elements(of: offer)
            guard !offered.isEmpty, offered.allSatisfy(HTTPFields.isToken), Set(offered).count == offered.count else {
                throw Refusal(status: .badRequest, message: "Sec-WebSocket-Protocol must be a list of different tokens")
            }
            return own.first { offered.contains($0) }
        }

        private static func allows(
            _ origin: String?,
            _ origins: WebSocketConfiguration.Origins,
            host: String?
        ) -> Bool {
            switch origins {
            case .any: true
            case .check(let isAllowed): isAllowed(origin)
            case .list(let list):
                origin.map { origin in list.contains { $0.lowercased() == origin.lowercased() } } ?? true
            case .same: origin.map { isSame($0, host) } ?? true
            }
        }

        /// Whether the host and port of an origin are those of the request. The scheme is not compared, because a proxy may
        /// have removed TLS; so the default ports of both schemes are equal to no port.
        private static func isSame(_ origin: String, _ host: String?) -> Bool {
            guard let host = host?.lowercased() else { return false }
            let origin = origin.lowercased()
            for (scheme, port) in [("http://", ":80"), ("https://", ":443")] where origin.hasPrefix(scheme) {
                let authority = String(origin.dropFirst(scheme.count))
                return authority == host || authority + port == host || authority == host + port
            }
            return false
        }
    }

    extension HTTPFields {
        /// The elements of a list field, without whitespace around them (RFC 9110 section 5.6.1).
        static func elements(of value: String) -> [String] {
            value.split(separator: ",").compactMap { element in
                let text = element.drop { $0 == " " || $0 == "\t" }
                let end = text.lastIndex { $0 != " " && $0 != "\t" }
                return end.map { String(text[...$0]) }
            }
        }

        /// Whether a list field contains a token, in whatever case.
        static func contains(_ token: String, in value: String?) -> Bool {
            value.map { elements(of: $0).contains { $0.lowercased() == token } } ?? false
        }

        static func isToken(_ text: String) -> Bool { HTTPField.Name(text) != nil }
    }
#endif
