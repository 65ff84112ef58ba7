// SPDX-License-Identifier: MIT
#if HTTP
    import ReactiveSockets

    extension WebSocketClose {
        /// Decodes the payload of a Close frame (RFC 6455 section 5.5.1).
        ///
        /// - Throws: `protocolViolation` for one byte or a code that is not allowed, `invalidText` for a reason that is not
        ///   UTF-8.
        init(payload: Bytes) throws(WebSocketError) {
            if payload.isEmpty {
                self.init(.noStatus)
                return
            }
            guard let number = payload.integer(at: payload.startIndex, as: UInt16.self) else {
                throw WebSocketError(.protocolViolation, "the peer sent a Close frame of one byte: a code has two")
            }
            let code = WebSocketCloseCode(rawValue: number)
            guard code.isAllowedInFrame else {
                throw WebSocketError(.protocolViolation, "the peer sent the close code \(code), which is not allowed")
            }
            guard let reason = String(validating: payload.dropFirst(2), as: UTF8.self) else {
                throw WebSocketError(.invalidText, "the peer sent a close reason that is not UTF-8")
            }
            self.init(code, reason: reason)
        }
    }
#endif
