// SPDX-License-Identifier: MIT
#if HTTP
    import HTTPTypes
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets

    extension HTTPError {
        /// The status that tells the peer about its own failure. `nil` means that this side has failed.
        var peerStatus: HTTPResponse.Status? {
            if isOfOrigin { return nil }
            if code == .incomplete { return .badRequest }
            guard let status, status.code < 500 else { return nil }
            return status
        }
    }

    extension HTTPResponse.Status {
        /// Whether a response with this status has a body, except for HEAD (RFC 9110 section 6.4.1).
        var allowsBody: Bool { code >= 200 && code != 204 && code != 304 }
    }

    extension HTTPFields {
        /// Whether the sender asks for the end of the connection.
        var asksToClose: Bool {
            guard !isEmpty, let value = self[.connection] else { return false }
            return value.split(separator: ",").contains { token in
                token.filter { $0 != " " && $0 != "\t" }.lowercased() == "close"
            }
        }
    }

    extension Signal<Bytes, SocketError> {
        /// The bytes of another protocol, as a body.
        var asBody: Signal<Bytes, HTTPError> {
            mapError { error in HTTPError(.sourceFailed, "the protocol after an upgrade failed: \(error)", cause: error)
            }
        }
    }
#endif
