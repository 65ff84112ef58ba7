// SPDX-License-Identifier: MIT
#if HTTP
    /// A class of differences between our parser and llhttp that the RFC decides. Docs/HTTPParsing.md cites the sentences.
    struct HTTPDifferenceClass {
        let kind: HTTPDifference.Kind
        /// What the reason of the difference begins with.
        let reasons: [String]

        func contains(_ difference: HTTPDifference) -> Bool {
            kind == difference.kind && reasons.contains { difference.reason.hasPrefix($0) }
        }

        static let all = [
            // 1 to 4: request lines.
            HTTPDifferenceClass(.stricter, "the version is HTTP/"),
            HTTPDifferenceClass(.stricter, "more than one empty line precedes", "a carriage return is not followed by"),
            HTTPDifferenceClass(
                .stricter,
                "the target of CONNECT is not",
                "the request target",
                "the request line does not end with",
                "the version is not of the form",
                "the host of the request target is invalid"
            ),
            HTTPDifferenceClass(.stricter, "a CONNECT request has content", "a TRACE request has content"),
            // 5 to 9: fields.
            HTTPDifferenceClass(
                .stricter,
                "the request has more than one Host field",
                "the request has no Host field",
                "the Host field is not a host"
            ),
            HTTPDifferenceClass(.stricter, "a field name is empty"),
            HTTPDifferenceClass(.stricter, "a field line begins with whitespace"),
            HTTPDifferenceClass(.stricter, "a line ends with a line feed alone"),
            // 10 to 13: lengths.
            HTTPDifferenceClass(
                .stricter,
                "the last transfer coding is not chunked",
                "the message has a transfer coding"
            ),
            HTTPDifferenceClass(.stricter, "a message of HTTP/1.0 has a Transfer-Encoding"),
            HTTPDifferenceClass(.stricter, "the message has both Transfer-Encoding and Content-Length"),
            HTTPDifferenceClass(.stricter, "Content-Length exceeds", "Content-Length is empty", "a chunk size exceeds"),
            // Status lines.
            HTTPDifferenceClass(
                .stricter,
                "the status is not a number",
                "the status line does not begin",
                "the reason phrase contains a control"
            ),
            // Chunks.
            HTTPDifferenceClass(.stricter, "the value of a chunk extension is", "a chunk size is followed by"),
            HTTPDifferenceClass(
                .looser,
                "Invalid character in chunk size",
                "Invalid character in chunk extensions"
            ),
            // Methods, versions, targets and values that llhttp does not know.
            HTTPDifferenceClass(.looser, "Invalid method encountered", "Expected space after method"),
            HTTPDifferenceClass(.looser, "Expected HTTP/2 Connection Preface"),
            HTTPDifferenceClass(.looser, "Invalid HTTP version"),
            HTTPDifferenceClass(.looser, "Unexpected char in url schema"),
            HTTPDifferenceClass(.looser, "Invalid character in Content-Length"),
            HTTPDifferenceClass(.content, "a tab follows the transfer coding"),
            HTTPDifferenceClass(.looser, "Invalid `Transfer-Encoding` header value"),
            // The end of a connection.
            HTTPDifferenceClass(.content, "our connection ends, and llhttp goes on"),
            HTTPDifferenceClass(.content, "llhttp ends, and our connection goes on"),
        ]

        private init(_ kind: HTTPDifference.Kind, _ reasons: String...) {
            self.kind = kind
            self.reasons = reasons
        }
    }
#endif
