// SPDX-License-Identifier: MIT
extension Bytes: ExpressibleByStringInterpolation {
    /// Creates bytes from an interpolated string: `let request: Bytes = "GET \(path) HTTP/1.1\r\n"`.
    ///
    /// Interpolated `Bytes` are copied unchanged, even if they are not valid UTF-8. Text is copied as UTF-8. An error
    /// or any other value is copied as its description. A value without a description, such as an optional, does not
    /// compile: unwrap it first.
    public init(stringInterpolation: StringInterpolation) {
        self = stringInterpolation.bytes
    }

    /// The bytes of an interpolated string while it is evaluated.
    ///
    /// Safe: each copy goes into a slab that has room for it, and that no other value uses.
    public struct StringInterpolation: StringInterpolationProtocol, Sendable {
        private var slab: Slab
        private var count = 0

        fileprivate var bytes: Bytes { count == 0 ? Bytes() : Bytes(slab, origin: 0, count: count) }

        /// Reserves memory for the literal parts, and a little for each interpolated value.
        public init(literalCapacity: Int, interpolationCount: Int) {
            slab = Slab(capacity: literalCapacity + 16 * interpolationCount)
        }

        /// Appends a part of the literal as UTF-8.
        public mutating func appendLiteral(_ literal: String) { append(literal) }

        /// Appends bytes unchanged.
        public mutating func appendInterpolation(_ bytes: Bytes) {
            unsafe bytes.withUnsafeBytes { unsafe append($0) }
        }

        /// Appends a string as UTF-8.
        public mutating func appendInterpolation(_ text: String) { append(text) }

        /// Appends the description of a value as UTF-8: an integer in decimal, an address.
        public mutating func appendInterpolation(_ value: some CustomStringConvertible) {
            append(value.description)
        }

        /// Appends the text of an error as UTF-8, as `print` writes it.
        public mutating func appendInterpolation(_ error: some Error) {
            append(String(describing: error))
        }

        /// Appends the description of an error as UTF-8.
        public mutating func appendInterpolation(_ error: some Error & CustomStringConvertible) {
            append(error.description)
        }

        private mutating func append(_ text: String) {
            unsafe text.withUTF8Memory { unsafe append($0) }
        }

        private mutating func append(_ memory: UnsafeRawBufferPointer) {
            guard let start = memory.baseAddress, memory.count > 0 else { return }
            let needed = count + memory.count
            if needed > slab.capacity || !isKnownUniquelyReferenced(&slab) {
                let larger = Slab(capacity: Swift.max(needed, 2 * count))
                unsafe larger.base.copyMemory(from: slab.base, byteCount: count)
                slab = larger
            }
            unsafe (slab.base + count).copyMemory(from: start, byteCount: memory.count)
            count = needed
        }
    }
}
