// SPDX-License-Identifier: MIT
#if NATS
    import ReactiveSockets

    extension NATSError {
        /// The error for the text of `-ERR`.
        static func reported(_ text: String) -> NATSError {
            let lower = text.lowercased()
            let code: Code =
                if lower.contains("authentication timeout") {
                    .timedOut
                } else if lower.hasPrefix("permissions violation") || lower.contains("not permitted") {
                    .notPermitted
                } else if lower.contains("authoriz") || lower.contains("authenticat") || lower.contains("user jwt") {
                    .wrongCredentials
                } else if lower.contains("tls") || lower.contains("secure connection") {
                    .insecure
                } else if lower.contains("maximum payload") {
                    .messageTooLarge
                } else if lower.contains("invalid subject") || lower.contains("invalid publish subject") {
                    .invalidSubject
                } else if lower.contains("stale connection") || lower.contains("maximum connections") {
                    .noServer
                } else if lower.contains("parser error") || lower.contains("unknown protocol") {
                    .malformed
                } else {
                    .refused
                }
            return NATSError(code, "the server reports: \(text)")
        }

        /// The error for the failure of a connection.
        static func connecting(_ error: SocketError) -> NATSError {
            let code: Code =
                switch error.code {
                case .tls: .insecure
                case .timedOut: .timedOut
                default: .noServer
                }
            return NATSError(code, error.message)
        }
    }
#endif
