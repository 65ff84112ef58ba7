// SPDX-License-Identifier: MIT
#if HTTP
    import HTTPTypes
    import ReactiveSockets

    /// Writes the chunks of a body (RFC 9112 section 7.1).
    enum ChunkWriter {
        /// A size of 16 hexadecimal digits, and two line ends.
        private static let overhead = 20

        /// One chunk. Its bytes are copied. Empty bytes give no chunk, because an empty chunk ends the body.
        static func chunk(_ bytes: Bytes) -> Bytes {
            if bytes.isEmpty { return Bytes() }
            return HeadBuffer.bytes(capacity: bytes.count + overhead) { buffer in
                buffer.append(bytes.count, radix: 16)
                buffer.append("\r\n")
                buffer.append(bytes)
                buffer.append("\r\n")
            }
        }

        /// The last chunk and the trailer fields. Fields of the framing are left out (RFC 9110 section 6.5.1).
        static func end(_ trailers: HTTPFields?) -> Bytes {
            guard let trailers, !trailers.isEmpty else { return lastChunk }
            return HeadBuffer.bytes(capacity: HeadBuffer.size(trailers) + 5) { buffer in
                buffer.append("0\r\n")
                for field in trailers where FramingField(field.name) == nil { buffer.append(field) }
                buffer.append("\r\n")
            }
        }

        private static let lastChunk: Bytes = "0\r\n\r\n"
    }
#endif
