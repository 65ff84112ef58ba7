// SPDX-License-Identifier: MIT
#if HTTP
    import HTTPTypes
    import ReactiveSockets
    import ReactiveSupport

    /// A request that has been checked and written, so that nothing can fail any more when a connection sends it.
    struct PreparedRequest {
        /// What follows the head.
        enum Content {
            /// The head contains everything.
            case none
            case stored(Bytes)
            case source(BodySource)
        }

        /// A stored body up to this size is sent in one piece with the head.
        private static let joinedBytes = 16 * 1024

        let message: HTTPRequestMessage
        let origin: Origin
        /// The head, perhaps with the content.
        let bytes: Bytes
        let content: Content
        /// Whether the body waits for `100 Continue`.
        let expectsContinue: Bool
        let asksToClose: Bool

        var method: HTTPRequest.Method { message.head.method }
        /// Whether a response of 101 is allowed.
        var asksForUpgrade: Bool { message.head.headerFields.contains(.upgrade) }

        /// Whether sending the request twice has the effect of sending it once (RFC 9110 section 9.2.2).
        var isIdempotent: Bool {
            switch method {
            case .get, .head, .options, .trace, .put, .delete: true
            default: false
            }
        }

        /// - Throws: `invalidRequest`, and `notImplemented` for CONNECT.
        init(_ message: HTTPRequestMessage) throws(HTTPError) {
            self.message = message
            var head = message.head
            // CONNECT and the body are checked first, because a request for a tunnel or with an invalid URL has no scheme.
            if head.method == .connect { throw HTTPError(.notImplemented, "the client does not support CONNECT") }
            var stored = Bytes()
            var source: BodySource?
            switch message.body.content {
            case .stored(let bytes): stored = bytes
            case .failed(let content): throw content.error
            case .source(let body): source = body
            case .received(let received): source = BodySource(received)
            case .file(let content): source = BodySource(content)
            case .upgrade, .upgraded:
                throw HTTPError(.invalidRequest, "the body of a request cannot be that of an upgrade")
            }
            origin = try Origin(scheme: head.scheme, authority: head.authority)
            if head.path?.isEmpty ?? true { head.path = "/" }
            let framing = Self.framing(message, stored, source)
            let hasContent = !framing.isEmpty
            if head.method == .trace, hasContent {
                throw HTTPError(.invalidRequest, "a TRACE request has content")
            }
            let expects = head.headerFields[.expect]?.lowercased() == "100-continue"
            expectsContinue = expects && hasContent
            // RFC 9110 section 10.1.1: a request without content must not expect.
            if expects, !hasContent { head.headerFields[.expect] = nil }
            asksToClose = head.headerFields.asksToClose
            let isJoined = !expectsContinue && source == nil && stored.count <= Self.joinedBytes
            let writer = RequestWriter(isPersistent: !asksToClose, body: framing)
            do throws(HTTPError) {
                bytes = try writer.write(head, isJoined ? stored : Bytes())
            } catch {
                throw HTTPError(.invalidRequest, error.message)
            }
            if let source, hasContent {
                content = .source(source)
            } else {
                content = isJoined || stored.isEmpty ? .none : .stored(stored)
            }
        }

        /// RFC 9110 section 8.6: a request that usually has content states that it has none.
        ///
        /// A request that a server has received without a length is passed on without one. Its sender may have lost the
        /// content, and only the next server knows whether an empty one is meant (411).
        private static func framing(
            _ message: HTTPRequestMessage,
            _ stored: Bytes,
            _ source: BodySource?
        ) -> MessageFraming.BodyLength {
            if let source { return source.length.map { .fixed($0) } ?? .chunked }
            if !stored.isEmpty { return .fixed(stored.count) }
            let fields = message.head.headerFields
            let hasLength = fields.contains(.contentLength) || fields.contains(.transferEncoding)
            if message.peer != nil, !hasLength { return .none }
            switch message.head.method {
            case .post, .put, .patch: return .fixed(0)
            default: return .none
            }
        }
    }
#endif
