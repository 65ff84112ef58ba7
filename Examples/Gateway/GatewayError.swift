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

        /// The failure as the HTTP server reports it. Its status names the side that has failed.
        var asHTTP: HTTPError {
            switch self {
            case .connection(let error):
                // `HTTPError` knows the failures that mean that this process has no descriptor, port or memory left.
                if HTTPError(.connection, error.message, cause: error).status == .serviceUnavailable {
                    failure(.overloaded)
                } else {
                    failure(error.code == .timedOut ? .gatewayTimeout : .badGateway)
                }
            case .violation: failure(.badGateway)
            case .slow: failure(.gatewayTimeout)
            case .overloaded: failure(.overloaded)
            case .request(let error): error
            }
        }

        private func failure(_ code: HTTPError.Code) -> HTTPError { HTTPError(code, "\(self)", cause: self) }
    }
#endif
