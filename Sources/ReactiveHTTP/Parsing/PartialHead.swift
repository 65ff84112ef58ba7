// SPDX-License-Identifier: MIT
#if HTTP
    import HTTPTypes

    /// What has been read of a head, apart from its ordinary fields.
    struct PartialHead {
        /// The list in all `Transfer-Encoding` fields together (RFC 9112 section 6.1).
        struct TransferCodings {
            var isPresent = false
            /// An element is empty, or follows `chunked`.
            var isMalformed = false
            /// The list contains a coding that this parser does not implement.
            var hasUnknown = false
            /// The last element is `chunked`.
            var endsChunked = false

            mutating func append(isChunked: Bool, isEmpty: Bool) {
                if isEmpty || endsChunked { isMalformed = true }
                if isChunked { endsChunked = true } else { hasUnknown = true }
            }
        }

        var method = HTTPRequest.Method.get
        var target = RequestTarget()
        var status = HTTPResponse.Status(code: 0)
        var minorVersion = 1
        var host: String?
        var contentLength: Int?
        var codings = TransferCodings()
        var hasClose = false
        var hasKeepAlive = false
        var hasUpgradeOption = false
        var hasUpgradeField = false
        var expectation = MessageFraming.Expectation.none
    }
#endif
