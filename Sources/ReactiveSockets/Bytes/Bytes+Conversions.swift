// Safe: each initializer below writes as many bytes as it has made room for.
extension Bytes {
    /// Copies an array.
    public init(_ bytes: [UInt8]) {
        self = unsafe bytes.withUnsafeBytes { unsafe Bytes(copying: $0) }
    }

    /// Copies a sequence of bytes: an array's slice, another `Bytes`, a string's `utf8`.
    public init(_ bytes: some Collection<UInt8>) {
        // Where they lie in one run this is one copy, and nothing of it depends on the type.
        if let copy = bytes.withContiguousStorageIfAvailable({ unsafe Bytes(copying: UnsafeRawBufferPointer($0)) }) {
            self = copy
            return
        }
        unsafe self.init(capacity: bytes.count) { memory in
            unsafe memory.copyBytes(from: bytes)
            return bytes.count
        }
    }

    /// Copies what a span shows.
    public init(_ span: Span<UInt8>) {
        unsafe self.init(capacity: span.count) { memory in
            for index in span.indices { unsafe memory[index] = span[index] }
            return span.count
        }
    }

    /// Copies a string as UTF-8.
    public init(_ string: String) {
        self.init(string.utf8)
    }

    /// All of `parts`, one after the other, copied into one.
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
    /// The literal in UTF-8.
    public init(stringLiteral value: String) { self.init(value) }

    /// The bytes listed.
    public init(arrayLiteral elements: UInt8...) { self.init(elements) }
}

extension Bytes: CustomStringConvertible {
    /// The bytes as text where they are UTF-8, else how many there are.
    public var description: String {
        String(validating: self, as: UTF8.self) ?? "\(count) bytes"
    }
}

extension String {
    /// The text that the bytes are in UTF-8, with a replacement character where they are not.
    public init(_ bytes: Bytes) {
        self.init(decoding: bytes, as: UTF8.self)
    }
}
