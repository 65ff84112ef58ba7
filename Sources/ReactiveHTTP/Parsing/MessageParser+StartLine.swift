// SPDX-License-Identifier: MIT
#if HTTP
    import HTTPTypes

    /// The first lines of messages (RFC 9112 sections 2.2, 3 and 4).
    extension MessageParser {
        /// Reads an empty line, a request line or a status line. Returns the offset after it, or `nil` if it is not
        /// complete.
        mutating func readStartLine(_ text: ByteText, at start: Int) throws(HTTPError) -> Int? {
            guard let lineFeed = text.firstLineFeed(from: start) else { return nil }
            try checkBeginning(text, at: start)
            if text[start] == ASCII.carriageReturn {
                state = .startLine(afterEmptyLine: true)
                return start + 2
            }
            let hasReturn = text[lineFeed - 1] == ASCII.carriageReturn
            let end = hasReturn ? lineFeed - 1 : lineFeed
            try checkStartLine(count: end - start)
            guard hasReturn else { throw Self.bareLineFeed }
            if case .requests = role {
                try readRequestLine(text, start..<end)
            } else {
                try readStatusLine(text, start..<end)
            }
            state = .fields
            return lineFeed + 1
        }

        /// Checks what is known of a line whose line feed has not arrived.
        func checkIncompleteStartLine(_ text: ByteText, at start: Int) throws(HTTPError) {
            try checkBeginning(text, at: start)
            // The last byte may be the carriage return.
            try checkStartLine(count: text.count - start - 1)
        }

        private func checkStartLine(count: Int) throws(HTTPError) {
            if count <= limits.startLine { return }
            throw HTTPError(
                role == .responses ? .malformed : .targetTooLong,
                "the first line has more than the \(limits.startLine) bytes that are allowed"
            )
        }

        /// Checks the first byte, and the second one of an empty line. A peer of another protocol is noticed at once,
        /// although its bytes may contain no line feed.
        private func checkBeginning(_ text: ByteText, at start: Int) throws(HTTPError) {
            let first = text[start]
            if first == ASCII.carriageReturn {
                // RFC 9112 section 2.2: a server should ignore at least one empty line.
                if case .startLine(afterEmptyLine: true) = state {
                    throw HTTPError(.malformed, "more than one empty line precedes the message")
                }
                if start + 1 < text.count, text[start + 1] != ASCII.lineFeed { throw Self.bareCarriageReturn }
                return
            }
            if first == ASCII.lineFeed { throw Self.bareLineFeed }
            if ASCII.token.contains(first) { return }
            let expected = role == .responses ? "a version" : "a method"
            throw HTTPError(.malformed, "the message begins with \(ASCII.name(first)), and not with \(expected)")
        }

        static var bareLineFeed: HTTPError {
            HTTPError(.malformed, "a line ends with a line feed alone, and not with CRLF")
        }

        static var bareCarriageReturn: HTTPError {
            HTTPError(.malformed, "a carriage return is not followed by a line feed")
        }

        // MARK: Requests

        /// `method SP request-target SP HTTP-version` (RFC 9112 section 3).
        private mutating func readRequestLine(_ text: ByteText, _ line: Range<Int>) throws(HTTPError) {
            let methodEnd = text.tokenEnd(in: line)
            guard methodEnd < line.upperBound, text[methodEnd] == ASCII.space else {
                let found = methodEnd < line.upperBound ? ASCII.name(text[methodEnd]) : "the end of the line"
                throw HTTPError(.malformed, "\(found) follows the characters of the method, and not a space")
            }
            // The version has eight bytes, and a space before it.
            let targetEnd = line.upperBound - 9
            guard targetEnd > methodEnd, text[targetEnd] == ASCII.space else {
                throw HTTPError(.malformed, "the request line does not end with a space and a version, as in HTTP/1.1")
            }
            head.minorVersion = try minorVersion(text, at: targetEnd + 1)
            head.method = try method(text, line.lowerBound..<methodEnd)
            head.target = try RequestTarget(text, methodEnd + 1..<targetEnd, head.method)
        }

        private func method(_ text: ByteText, _ range: Range<Int>) throws(HTTPError) -> HTTPRequest.Method {
            let name = text.string(range)
            switch name {
            case "GET": return .get
            case "POST": return .post
            default:
                guard let method = HTTPRequest.Method(name) else {
                    throw HTTPError(.malformed, "the method is not a token")
                }
                return method
            }
        }

        /// `HTTP/1.0` or `HTTP/1.1`. Later minor versions count as 1 (RFC 9110 section 2.5).
        private func minorVersion(_ text: ByteText, at start: Int) throws(HTTPError) -> Int {
            switch text.word(at: start) {
            case Self.version11: return 1
            case Self.version10: return 0
            default: break
            }
            let (major, point, minor) = (text[start + 5], text[start + 6], text[start + 7])
            // `HTTP` is case-sensitive.
            guard text.string(start..<start + 5) == "HTTP/", ASCII.isDigit(major), point == UInt8(ascii: "."),
                ASCII.isDigit(minor)
            else {
                throw HTTPError(.malformed, "the version is not of the form HTTP/1.1")
            }
            guard major == UInt8(ascii: "1") else {
                let version = text.string(start..<start + 8)
                throw HTTPError(.versionNotSupported, "the version is \(version), and only HTTP/1 is supported")
            }
            return 1
        }

        private static let version11: UInt64 = 0x312E_312F_5054_5448  // "HTTP/1.1", the first byte last
        private static let version10: UInt64 = 0x302E_312F_5054_5448

        // MARK: Responses

        /// `HTTP-version SP status-code SP [reason-phrase]` (RFC 9112 section 4). The space before an absent reason phrase
        /// may be missing: many servers omit it, and it affects nothing else.
        private mutating func readStatusLine(_ text: ByteText, _ line: Range<Int>) throws(HTTPError) {
            let (start, end) = (line.lowerBound, line.upperBound)
            guard line.count >= 12, text[start + 8] == ASCII.space else {
                throw HTTPError(.malformed, "the status line does not begin with a version and a status")
            }
            head.minorVersion = try minorVersion(text, at: start)
            let digits = (start + 9..<start + 12).map { text[$0] }
            guard digits.allSatisfy(ASCII.isDigit), digits[0] != UInt8(ascii: "0"),
                end == start + 12 || text[start + 12] == ASCII.space
            else {
                throw HTTPError(.malformed, "the status is not a number of three digits from 100 on")
            }
            let code = digits.reduce(0) { $0 * 10 + Int(truncatingIfNeeded: $1 - UInt8(ascii: "0")) }
            let reason = min(start + 13, end)..<end
            guard reason.allSatisfy({ ASCII.isContent(text[$0]) }) else {
                throw HTTPError(.malformed, "the reason phrase contains a control character")
            }
            // ISO 8859-1: each byte is the character of the same number.
            let phrase = String(String.UnicodeScalarView(reason.map { Unicode.Scalar(text[$0]) }))
            head.status = HTTPResponse.Status(code: code, reasonPhrase: phrase)
        }
    }
#endif
