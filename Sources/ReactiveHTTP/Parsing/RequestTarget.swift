// SPDX-License-Identifier: MIT
#if HTTP
    import HTTPTypes

    /// The target of a request, in one of its four forms (RFC 9112 section 3.2).
    ///
    /// A target is accepted if its characters are those of RFC 3986, or one of `[ ] ^ { | }` and the backtick. Browsers
    /// send these seven as they are (URL Standard, "path percent-encode set" and "query percent-encode set"). No other
    /// part of a message contains a target, so they cause no ambiguity.
    struct RequestTarget {
        /// The scheme of the absolute form.
        var scheme: String?
        /// The authority of the absolute form or the authority form.
        var authority: String?
        /// The path and the query. `nil` for the authority form, `*` for the asterisk form.
        var path: String?

        init() {}

        init(_ text: ByteText, _ range: Range<Int>, _ method: HTTPRequest.Method) throws(HTTPError) {
            guard !range.isEmpty else { throw HTTPError(.malformed, "the request target is empty") }
            if method == .connect {
                // RFC 9112 section 3.2.3: only the authority form.
                guard Authority.isValid(text, range, requiresPort: true) else {
                    throw HTTPError(.malformed, "the target of CONNECT is not a host with a port")
                }
                authority = text.string(range)
                return
            }
            try Self.checkCharacters(text, range)
            if text[range.lowerBound] == UInt8(ascii: "/") {
                path = text.string(range)
            } else if range.count == 1, text[range.lowerBound] == UInt8(ascii: "*"), method == .options {
                path = "*"
            } else {
                // `scheme "://" authority path-abempty [ "?" query ]`. Other forms of an absolute URI have no authority, which
                // HTTP requires (RFC 9110 section 4.2).
                let url = URLReference(text.string(range))
                guard let scheme = url.scheme, let authority = url.authority else {
                    throw HTTPError(.malformed, "the request target begins neither with a slash nor with a scheme")
                }
                guard Authority.isValid(authority) else {
                    throw HTTPError(.malformed, "the host of the request target is invalid")
                }
                self.scheme = scheme
                self.authority = authority
                // RFC 9112 section 3.2.4: OPTIONS without path and query refers to the server.
                path = url.path.isEmpty && url.query == nil && method == .options ? "*" : url.target
            }
        }

        private static func checkCharacters(_ text: ByteText, _ range: Range<Int>) throws(HTTPError) {
            let percent = UInt8(ascii: "%")
            for offset in range {
                let byte = text[offset]
                guard ASCII.target.contains(byte) else {
                    throw HTTPError(.malformed, "the request target contains \(ASCII.name(byte))")
                }
                if byte == percent, !Authority.isPercentEncoded(text, offset, in: range) {
                    throw HTTPError(.malformed, "the request target contains a '%' without two hexadecimal digits")
                }
            }
        }
    }

    /// `uri-host [ ":" port ]` (RFC 9110 section 7.2, RFC 3986 section 3.2.2). User information is not allowed (RFC 9110
    /// section 4.2.4).
    enum Authority {
        static func isValid(_ text: ByteText, _ range: Range<Int>, requiresPort: Bool) -> Bool {
            var offset = range.lowerBound
            if offset < range.upperBound, text[offset] == UInt8(ascii: "[") {
                offset += 1
                let start = offset
                while offset < range.upperBound, isAddress(text[offset]) { offset += 1 }
                guard offset > start, offset < range.upperBound, text[offset] == UInt8(ascii: "]") else { return false }
                offset += 1
            } else {
                while offset < range.upperBound {
                    let byte = text[offset]
                    guard
                        ASCII.registeredName.contains(byte)
                            || byte == UInt8(ascii: "%") && isPercentEncoded(text, offset, in: range)
                    else { break }
                    offset += 1
                }
            }
            let hasHost = offset > range.lowerBound
            if offset == range.upperBound { return !requiresPort }
            guard text[offset] == ASCII.colon, hasHost else { return false }
            let port = offset + 1..<range.upperBound
            guard port.allSatisfy({ ASCII.isDigit(text[$0]) }), port.count <= 5 else { return false }
            return !requiresPort || !port.isEmpty
        }

        static func isPercentEncoded(_ text: ByteText, _ offset: Int, in range: Range<Int>) -> Bool {
            offset + 2 < range.upperBound && ASCII.hexadecimal(text[offset + 1]) != nil
                && ASCII.hexadecimal(text[offset + 2]) != nil
        }

        /// A character of an IPv6 address, with an IPv4 address at its end, or of a later version.
        private static func isAddress(_ byte: UInt8) -> Bool {
            ASCII.registeredName.contains(byte) || byte == ASCII.colon
        }
    }
#endif
