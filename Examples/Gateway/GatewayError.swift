// SPDX-License-Identifier: MIT
#if HTTP
    import HTTPTypes
    import ReactiveHTTP
    import ReactiveSockets

    /// Why a request has no answer of the key-value server.
    enum GatewayError: Error, CustomStringConvertible {
        /// The connection with the key-value server cannot be established, or has failed.
        case connection(SocketError)
        /// The key-value server has closed the connection, or violates its protocol.
        case violation(String)
        /// The key-value server takes too long.
        case slow(String)
        /// Too many requests wait for a connection.
        case overloaded
        /// The HTTP client has failed while it sent a value.
        case request(HTTPError)

        var description: String {
            switch self {
            case .connection(let error): "the connection with the key-value server failed: \(error)"
            case .violation(let text), .slow(let text): text
            case .overloaded: "too many requests wait for the key-value server"
            case .request(let error): error.message
            }
        }

        /// The status of the answer. `nil` means that the HTTP server finds it.
        var status: HTTPResponse.Status? {
            switch self {
            case .connection(let error): error.code == .timedOut ? .gatewayTimeout : .badGateway
            case .violation: .badGateway
            case .slow: .gatewayTimeout
            case .overloaded: .serviceUnavailable
            case .request: nil
            }
        }
    }
#endif
