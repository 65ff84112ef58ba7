// SPDX-License-Identifier: MIT
#if HTTP
    import HTTPTypes
    import ReactiveSockets

    /// Memory into which a head is written. Its size is computed first, so a message needs one allocation.
    ///
    /// Safe: each write checks that the rest of the memory has room for it.
    @safe
    struct HeadBuffer {
        private let memory: UnsafeMutableRawBufferPointer
        private(set) var count = 0

        private init(_ memory: UnsafeMutableRawBufferPointer) {
            unsafe self.memory = memory
        }

        /// Creates bytes by writing into memory of at most `capacity` bytes.
        static func bytes(capacity: Int, _ write: (inout HeadBuffer) -> Void) -> Bytes {
            unsafe Bytes(capacity: capacity) { memory in
                var buffer = unsafe HeadBuffer(memory)
                write(&buffer)
                return buffer.count
            }
        }

        @inline(__always)
        private mutating func append(_ bytes: UnsafeRawBufferPointer) {
            unsafe precondition(bytes.count <= memory.count - count)
            guard let source = bytes.baseAddress, let target = unsafe memory.baseAddress else { return }
            unsafe (target + count).copyMemory(from: source, byteCount: bytes.count)
            count += bytes.count
        }

        mutating func append(_ text: StaticString) {
            unsafe append(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
        }

        mutating func append(_ text: String) {
            var text = text
            text.withUTF8 { unsafe append(UnsafeRawBufferPointer($0)) }
        }

        mutating func append(_ bytes: Bytes) {
            unsafe bytes.withUnsafeBytes { unsafe append($0) }
        }

        mutating func append(byte: UInt8) {
            unsafe precondition(count < memory.count)
            unsafe memory[count] = byte
            count += 1
        }

        /// A number that is at least zero.
        mutating func append(_ number: Int, radix: Int) {
            if number >= radix { append(number / radix, radix: radix) }
            let digit = UInt8(truncatingIfNeeded: number % radix)
            append(byte: digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
        }

        /// A number below 100, in two digits.
        mutating func append(pair number: Int) {
            append(byte: UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number / 10))
            append(byte: UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number % 10))
        }

        /// A field line. HTTPTypes admits no CR, LF or NUL into names and values, so a field stays one line.
        mutating func append(_ field: HTTPField) {
            append(field.name.rawName)
            append(": ")
            unsafe field.withUnsafeBytesOfValue { unsafe append(UnsafeRawBufferPointer($0)) }
            append("\r\n")
        }

        /// The field that tells how the peer finds the end of the content, if one is needed.
        mutating func append(length body: MessageFraming.BodyLength) {
            switch body {
            case .fixed(let count):
                append("Content-Length: ")
                append(count, radix: 10)
                append("\r\n")
            case .chunked: append("Transfer-Encoding: chunked\r\n")
            case .none, .untilClose, .tunnel: break
            }
        }

        /// The number of bytes of all field lines.
        static func size(_ fields: HTTPFields) -> Int {
            var size = 0
            for field in fields {
                // Safe: only the count is read.
                unsafe size += field.name.rawName.utf8.count + field.withUnsafeBytesOfValue { $0.count } + 4
            }
            return size
        }
    }

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
