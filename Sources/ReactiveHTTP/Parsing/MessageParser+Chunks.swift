// SPDX-License-Identifier: MIT
#if HTTP
    /// The chunked transfer coding (RFC 9112 section 7.1).
    extension MessageParser {
        /// A size of this many digits needs no leading zero. More bytes on its line count as chunk extensions.
        private static let sizeDigits = 16

        /// Reads the line that begins a chunk: `chunk-size [ chunk-ext ] CRLF`. Returns the offset after it, or `nil` if
        /// it is not complete.
        mutating func readChunkSize(_ text: ByteText, at start: Int) throws(HTTPError) -> Int? {
            guard let lineFeed = text.firstLineFeed(from: start) else { return nil }
            let hasReturn = lineFeed > start && text[lineFeed - 1] == ASCII.carriageReturn
            let end = hasReturn ? lineFeed - 1 : lineFeed
            try checkExtensions(count: end - start)
            extensionBytes += max(0, end - start - Self.sizeDigits)
            guard hasReturn else { throw Self.bareLineFeed }
            var offset = start
            var size = 0
            while offset < end, let digit = ASCII.hexadecimal(text[offset]) {
                guard size <= Int.max >> 4 else { throw HTTPError(.malformed, "a chunk size exceeds \(Int.max)") }
                size = size << 4 | digit
                offset += 1
            }
            if offset == start { throw HTTPError(.malformed, "a chunk size begins with no hexadecimal digit") }
            if offset < end { try ChunkExtensions.check(text, offset..<end) }
            try countBody(size)
            state = size == 0 ? .trailers : .chunk(remaining: size)
            return lineFeed + 1
        }

        /// Checks what is known of a line whose line feed has not arrived.
        func checkIncompleteChunkSize(_ text: ByteText, at start: Int) throws(HTTPError) {
            // The last byte may be the carriage return.
            try checkExtensions(count: text.count - start - 1)
        }

        private func checkExtensions(count: Int) throws(HTTPError) {
            // Subtracting cannot overflow, unlike adding the limit of a user.
            if count - Self.sizeDigits <= limits.chunkExtensionBytes - extensionBytes { return }
            throw HTTPError(
                .contentTooLarge,
                "the chunk extensions have more than the \(limits.chunkExtensionBytes) bytes that are allowed"
            )
        }

        /// Reads one byte of the CRLF after the data of a chunk.
        mutating func readChunkEnd(_ byte: UInt8, _ hasCarriageReturn: Bool) throws(HTTPError) {
            guard byte == (hasCarriageReturn ? ASCII.lineFeed : ASCII.carriageReturn) else {
                throw HTTPError(.malformed, "\(ASCII.name(byte)) follows the data of a chunk, and not CRLF")
            }
            state = hasCarriageReturn ? .chunkSize : .chunkEnd(hasCarriageReturn: true)
        }
    }

    /// `*( BWS ";" BWS name [ BWS "=" BWS ( token / quoted-string ) ] )` (RFC 9112 section 7.1.1). The parser checks
    /// extensions and ignores them.
    struct ChunkExtensions {
        private let text: ByteText
        private var offset: Int
        private let end: Int

        static func check(_ text: ByteText, _ range: Range<Int>) throws(HTTPError) {
            var rest = ChunkExtensions(text: text, offset: range.lowerBound, end: range.upperBound)
            while rest.offset < rest.end {
                guard rest.skip(UInt8(ascii: ";")), rest.skipToken() else {
                    throw HTTPError(.malformed, "a chunk size is followed by something other than a chunk extension")
                }
                // Whitespace before an equals sign belongs to this extension, otherwise to the next semicolon.
                guard rest.skip(UInt8(ascii: "=")) else { continue }
                guard rest.skipToken() || rest.skipQuoted() else {
                    throw HTTPError(.malformed, "the value of a chunk extension is neither a token nor a quoted string")
                }
            }
        }

        /// Skips a delimiter and the whitespace on both sides. If there is none, the offset stays the same.
        private mutating func skip(_ delimiter: UInt8) -> Bool {
            var next = offset
            while next < end, ASCII.isBlank(text[next]) { next += 1 }
            guard next < end, text[next] == delimiter else { return false }
            next += 1
            while next < end, ASCII.isBlank(text[next]) { next += 1 }
            offset = next
            return true
        }

        private mutating func skipToken() -> Bool {
            let start = offset
            offset = text.tokenEnd(in: start..<end)
            return offset > start
        }

        /// Skips a quoted string (RFC 9110 section 5.6.4).
        private mutating func skipQuoted() -> Bool {
            guard offset < end, text[offset] == UInt8(ascii: "\"") else { return false }
            offset += 1
            while offset < end, ASCII.isContent(text[offset]) {
                let byte = text[offset]
                offset += 1
                if byte == UInt8(ascii: "\"") { return true }
                if byte == UInt8(ascii: "\\") {
                    guard offset < end, ASCII.isContent(text[offset]) else { return false }
                    offset += 1
                }
            }
            return false
        }
    }
#endif
