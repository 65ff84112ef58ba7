// SPDX-License-Identifier: MIT
#if HTTP
    import HTTPTypes

    /// Header and trailer fields (RFC 9112 section 5).
    extension MessageParser {
        /// Reads a field line, or the empty line after the fields. Returns the offset after it, or `nil` if it is not
        /// complete.
        mutating func readField(_ text: ByteText, at start: Int) throws(HTTPError) -> Int? {
            let first = text[start]
            if first == ASCII.carriageReturn, start + 1 < text.count, text[start + 1] == ASCII.lineFeed {
                state = if case .trailers = state { .messageComplete } else { .headComplete }
                return start + 2
            }
            // A correct line is read in one pass. Any other line is read again, to report what is wrong with it.
            let colon = text.nameEnd(from: start)
            guard colon > start, colon < text.count, text[colon] == ASCII.colon else {
                return try explainField(text, at: start)
            }
            var valueStart = colon + 1
            while valueStart < text.count, ASCII.isBlank(text[valueStart]) { valueStart += 1 }
            let valueEnd = text.contentEnd(from: valueStart)
            guard valueEnd + 1 < text.count, text[valueEnd] == ASCII.carriageReturn,
                text[valueEnd + 1] == ASCII.lineFeed
            else { return try explainField(text, at: start) }
            try countField(bytes: valueEnd + 2 - start)
            try add(text, name: start..<colon, value: text.trimmed(valueStart..<valueEnd))
            return valueEnd + 2
        }

        private mutating func countField(bytes: Int) throws(HTTPError) {
            fieldBytes += bytes
            fieldCount += 1
            if fieldBytes > limits.fieldBytes { throw tooManyBytes }
            // HTTPFields traps at 65,535 fields.
            let limit = min(limits.fieldCount, 65_534)
            if fieldCount > limit {
                throw HTTPError(
                    .fieldsTooLarge,
                    "the message has more than the \(limit) fields that are allowed"
                )
            }
        }

        private var tooManyBytes: HTTPError {
            HTTPError(
                .fieldsTooLarge,
                "the fields of the message have more than the \(limits.fieldBytes) bytes that are allowed"
            )
        }

        /// Checks what is known of a line whose line feed has not arrived. A carriage return alone may begin the empty
        /// line, which does not count.
        func checkIncompleteField(_ text: ByteText, at start: Int) throws(HTTPError) {
            let count = text.count - start
            if count == 1, text[start] == ASCII.carriageReturn { return }
            if fieldBytes + count > limits.fieldBytes { throw tooManyBytes }
        }

        /// Reports what is wrong with a field line, or returns `nil` if it is not complete.
        private mutating func explainField(_ text: ByteText, at start: Int) throws(HTTPError) -> Int? {
            guard let lineFeed = text.firstLineFeed(from: start) else { return nil }
            try countField(bytes: lineFeed + 1 - start)
            guard lineFeed > start, text[lineFeed - 1] == ASCII.carriageReturn else { throw Self.bareLineFeed }
            let line = start..<lineFeed - 1
            if ASCII.isBlank(text[start]) {
                // RFC 9112 sections 2.2 and 5.2.
                throw HTTPError(.malformed, "a field line begins with whitespace: line folding is not allowed")
            }
            let nameEnd = text.tokenEnd(in: line)
            guard nameEnd < line.upperBound else {
                throw HTTPError(.malformed, "a field line has no colon")
            }
            let found = text[nameEnd]
            if found != ASCII.colon {
                // RFC 9112 section 5.1: no whitespace is allowed between the name and the colon.
                throw HTTPError(.malformed, "a field name contains \(ASCII.name(found))")
            }
            if nameEnd == start { throw HTTPError(.malformed, "a field name is empty") }
            let control = text.contentEnd(from: nameEnd + 1)
            if text[control] == ASCII.carriageReturn { throw Self.bareCarriageReturn }
            throw HTTPError(.malformed, "a field value contains \(ASCII.name(text[control]))")
        }

        private mutating func add(
            _ text: ByteText,
            name: Range<Int>,
            value: Range<Int>
        ) throws(HTTPError) {
            guard let known = knownFields.find(text, name) else {
                guard let name = HTTPField.Name(text.string(name)) else {
                    let invalid = text[text.tokenEnd(in: name)]
                    throw HTTPError(.malformed, "a field name contains \(ASCII.name(invalid))")
                }
                return fields.append(text.field(name, value))
            }
            if case .trailers = state {
                // RFC 9110 section 6.5.1: trailers must not change the framing or the routing of the message.
                if knownFields.role(known) == .other { fields.append(text.field(knownFields.name(known), value)) }
                return
            }
            switch knownFields.role(known) {
            case .other: break
            case .host:
                // The host of a request is its authority, and not a field.
                if case .requests = role { return try readHost(text, value) }
            case .contentLength: try readContentLength(text, value)
            case .transferEncoding: readTransferEncoding(text, value)
            case .connection: readConnection(text, value)
            case .expect: readExpect(text, value)
            case .upgrade: head.hasUpgradeField = true
            }
            fields.append(text.field(knownFields.name(known), value))
        }

        // MARK: Fields with a meaning

        private mutating func readHost(_ text: ByteText, _ value: Range<Int>) throws(HTTPError) {
            // RFC 9112 section 3.2.
            if head.host != nil { throw HTTPError(.malformed, "the request has more than one Host field") }
            // RFC 9110 section 4.2.1: the host of a URL is not empty. RFC 9112 section 3.3 allows a server to reject it.
            guard !value.isEmpty, Authority.isValid(text, value, requiresPort: false) else {
                throw HTTPError(.malformed, "the Host field is not a host with an optional port")
            }
            head.host = text.string(value)
        }

        /// RFC 9110 section 8.6. A list of equal lengths may be rejected, and is.
        private mutating func readContentLength(_ text: ByteText, _ value: Range<Int>) throws(HTTPError) {
            if head.contentLength != nil {
                throw HTTPError(.malformed, "the message has more than one Content-Length field")
            }
            var length = 0
            for offset in value {
                guard ASCII.isDigit(text[offset]) else {
                    throw HTTPError(
                        .malformed,
                        "Content-Length contains \(ASCII.name(text[offset])), and not only digits"
                    )
                }
                let (product, hasOverflow) = length.multipliedReportingOverflow(by: 10)
                let (sum, carries) = product.addingReportingOverflow(
                    Int(truncatingIfNeeded: text[offset] - UInt8(ascii: "0"))
                )
                if hasOverflow || carries {
                    throw HTTPError(.malformed, "Content-Length exceeds \(Int.max)")
                }
                length = sum
            }
            if value.isEmpty { throw HTTPError(.malformed, "Content-Length is empty") }
            head.contentLength = length
        }

        /// RFC 9112 section 6.1. Only the value `chunked` is accepted in the end.
        private mutating func readTransferEncoding(_ text: ByteText, _ value: Range<Int>) {
            head.codings.isPresent = true
            forEachElement(text, value) { element in
                head.codings.append(isChunked: text.equals("chunked", in: element), isEmpty: element.isEmpty)
            }
        }

        /// RFC 9110 section 7.6.1.
        private mutating func readConnection(_ text: ByteText, _ value: Range<Int>) {
            forEachElement(text, value) { option in
                if text.equals("close", in: option) {
                    head.hasClose = true
                } else if text.equals("keep-alive", in: option) {
                    head.hasKeepAlive = true
                } else if text.equals("upgrade", in: option) {
                    head.hasUpgradeOption = true
                }
            }
        }

        private mutating func readExpect(_ text: ByteText, _ value: Range<Int>) {
            if text.equals("100-continue", in: value), head.expectation != .other {
                head.expectation = .continue
            } else {
                head.expectation = .other
            }
        }

        /// Calls `body` for each element of a list that commas separate, without whitespace around it.
        @inline(__always)
        private func forEachElement(_ text: ByteText, _ value: Range<Int>, _ body: (Range<Int>) -> Void) {
            var start = value.lowerBound
            for offset in value where text[offset] == UInt8(ascii: ",") {
                body(text.trimmed(start..<offset))
                start = offset + 1
            }
            body(text.trimmed(start..<value.upperBound))
        }
    }
#endif
