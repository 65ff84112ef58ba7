// SPDX-License-Identifier: MIT
// Safe: each initializer writes as many bytes as it has allocated.
extension Bytes {
    /// Copies an array.
    public init(_ bytes: [UInt8]) {
        self = unsafe bytes.withUnsafeBytes { unsafe Bytes(copying: $0) }
    }

    /// Copies a collection of bytes: an array slice, another `Bytes`, a string's `utf8`.
    public init(_ bytes: some Collection<UInt8>) {
        // A contiguous collection is copied with one call instead of byte by byte.
        if let copy = bytes.withContiguousStorageIfAvailable({ unsafe Bytes(copying: UnsafeRawBufferPointer($0)) }) {
            self = copy
            return
        }
        unsafe self.init(capacity: bytes.count) { memory in
            unsafe memory.copyBytes(from: bytes)
            return bytes.count
        }
    }

    /// Copies the contents of a span.
    public init(_ span: Span<UInt8>) {
        unsafe self.init(capacity: span.count) { memory in
            for index in span.indices { unsafe memory[index] = span[index] }
            return span.count
        }
    }

    /// Copies a string as UTF-8, without a terminating zero.
    public init(_ string: String) {
        self.init(string.utf8)
    }

    /// Concatenates `parts` into new memory. The result is empty if all parts are empty or there are none.
    public init(joining parts: [Bytes]) {
        let count = parts.reduce(0) { $0 + $1.count }
        unsafe self.init(capacity: count) { memory in
            var offset = 0
            for part in parts {
                unsafe part.withUnsafeBytes {
                    unsafe UnsafeMutableRawBufferPointer(rebasing: memory[offset..<offset + part.count]).copyMemory(
                        from: $0
                    )
                }
                offset += part.count
            }
            return count
        }
    }
}

extension Bytes: ExpressibleByStringLiteral, ExpressibleByArrayLiteral {
    /// Copies a string literal as UTF-8.
    public init(stringLiteral value: String) { self.init(value) }

    /// Copies the bytes of an array literal.
    public init(arrayLiteral elements: UInt8...) { self.init(elements) }
}

extension Bytes: CustomStringConvertible {
    /// The bytes as text if they are valid UTF-8, otherwise their number, as in `4 bytes`.
    public var description: String {
        String(validating: self, as: UTF8.self) ?? "\(count) bytes"
    }
}

extension String {
    /// Decodes bytes as UTF-8. Invalid sequences become replacement characters (U+FFFD).
    public init(_ bytes: Bytes) {
        self.init(decoding: bytes, as: UTF8.self)
    }
}
