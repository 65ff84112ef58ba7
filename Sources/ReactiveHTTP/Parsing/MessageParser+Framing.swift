// SPDX-License-Identifier: MIT
#if HTTP
    import HTTPTypes

    /// The ends of heads and messages (RFC 9112 section 6.3).
    extension MessageParser {
        /// Checks the head as a whole, and returns its event.
        mutating func completeHead() throws(HTTPError) -> ParserEvent {
            try checkLengths()
            let event = if case .requests(let scheme) = role { try request(scheme) } else { try response() }
            beginFields()
            head = PartialHead()
            return event
        }

        private mutating func beginFields() {
            fields = HTTPFields()
            fieldCount = 0
            fieldBytes = 0
        }

        mutating func endMessage() -> ParserEvent {
            let trailers = fields.isEmpty ? nil : fields
            beginFields()
            extensionBytes = 0
            bodyBytes = 0
            state = .startLine(afterEmptyLine: false)
            return .end(trailers)
        }

        /// Rejects every ambiguous length. Such messages serve to smuggle requests (RFC 9112 section 11.2).
        private func checkLengths() throws(HTTPError) {
            if !head.codings.isPresent { return }
            if head.minorVersion == 0 {
                throw HTTPError(.malformed, "a message of HTTP/1.0 has a Transfer-Encoding field")
            }
            if head.contentLength != nil {
                throw HTTPError(.malformed, "the message has both Transfer-Encoding and Content-Length")
            }
            if head.codings.isMalformed || !head.codings.endsChunked {
                throw HTTPError(.malformed, "the last transfer coding is not chunked, or chunked occurs twice")
            }
            if head.codings.hasUnknown {
                throw HTTPError(.notImplemented, "the message has a transfer coding other than chunked")
            }
        }

        private mutating func request(_ scheme: String) throws(HTTPError) -> ParserEvent {
            var framing = framing()
            if head.minorVersion == 1 {
                if head.host == nil { throw HTTPError(.malformed, "the request has no Host field") }
                framing.expectation = head.expectation
            }
            framing.body = try declaredLength() ?? .none
            // RFC 9110 sections 9.3.6 and 9.3.8. Some recipients would take the content for bytes of the tunnel.
            if head.method == .connect || head.method == .trace, !framing.body.isEmpty {
                throw HTTPError(.malformed, "a \(head.method.rawValue) request has content")
            }
            let target = head.target
            // RFC 9112 section 3.2.2: the host of the absolute form takes precedence.
            let request = HTTPRequest(
                method: head.method,
                scheme: head.method == .connect ? nil : target.scheme ?? scheme,
                authority: target.authority ?? head.host,
                path: target.path,
                headerFields: fields
            )
            begin(framing.body)
            return .request(request, framing)
        }

        private mutating func response() throws(HTTPError) -> ParserEvent {
            var framing = framing()
            let code = head.status.code
            let isInformational = code < 200 && code != 101
            if code == 101 || requestMethod == .connect && head.status.kind == .successful {
                framing.body = .tunnel
            } else if isInformational || code == 204 || code == 304 || requestMethod == .head {
                framing.body = .none
                // RFC 9110 section 8.6 forbids both fields. A server that sends them may send content too.
                if code == 204, head.codings.isPresent || head.contentLength ?? 0 > 0 { framing.isPersistent = false }
            } else {
                framing.body = try declaredLength() ?? .untilClose
                if framing.body == .untilClose { framing.isPersistent = false }
            }
            let response = HTTPResponse(status: head.status, headerFields: fields)
            begin(framing.body)
            if isInformational { state = .startLine(afterEmptyLine: false) }
            return .response(response, framing)
        }

        private func framing() -> MessageFraming {
            var framing = MessageFraming()
            framing.minorVersion = head.minorVersion
            // RFC 9112 section 9.3.
            framing.isPersistent = !head.hasClose && (head.minorVersion == 1 || head.hasKeepAlive)
            // RFC 9110 section 7.8: a server ignores an upgrade in a request of HTTP/1.0.
            framing.isUpgrade = head.minorVersion == 1 && head.hasUpgradeOption && head.hasUpgradeField
            return framing
        }

        private func declaredLength() throws(HTTPError) -> MessageFraming.BodyLength? {
            if head.codings.isPresent { return .chunked }
            guard let length = head.contentLength else { return nil }
            if let limit = limits.bodyBytes, length > limit { throw bodyTooLarge(limit) }
            return .fixed(length)
        }

        private mutating func begin(_ body: MessageFraming.BodyLength) {
            state =
                switch body {
                case .none: .messageComplete
                case .fixed(let length): .body(remaining: length)
                case .chunked: .chunkSize
                case .untilClose: .untilClose
                case .tunnel: .tunnel
                }
        }

        /// Counts bytes of a body whose length was not declared.
        mutating func countBody(_ count: Int) throws(HTTPError) {
            guard let limit = limits.bodyBytes else { return }
            // No overflow: the sum is at most the limit before each addition.
            let (sum, hasOverflow) = bodyBytes.addingReportingOverflow(count)
            if hasOverflow || sum > limit { throw bodyTooLarge(limit) }
            bodyBytes = sum
        }

        private func bodyTooLarge(_ limit: Int) -> HTTPError {
            HTTPError(.contentTooLarge, "the body has more than the \(limit) bytes that are allowed")
        }
    }
#endif
