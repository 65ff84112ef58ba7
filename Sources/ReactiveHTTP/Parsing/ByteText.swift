// SPDX-License-Identifier: MIT
#if HTTP
    import Glibc
    import HTTPTypes

    /// Received bytes in contiguous memory, while the parser scans them. It must not outlive the closure that lends the
    /// memory.
    ///
    /// Safe: each access checks its offsets against the count.
    @safe
    struct ByteText {
        private let base: UnsafeRawPointer
        let count: Int

        /// - Parameter memory: At least one byte.
        init(_ memory: UnsafeRawBufferPointer) {
            guard let start = memory.baseAddress else { fatalError("the parser cannot scan empty memory") }
            unsafe base = start
            count = memory.count
        }

        @inline(__always)
        subscript(offset: Int) -> UInt8 {
            precondition(offset >= 0 && offset < count)
            return unsafe base.load(fromByteOffset: offset, as: UInt8.self)
        }

        /// Eight bytes, of which the first is the least significant.
        @inline(__always)
        func word(at offset: Int) -> UInt64 {
            precondition(offset >= 0 && offset <= count - 8)
            return UInt64(littleEndian: unsafe base.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        }

        /// The first `length` bytes of a word, and zeros. Unlike ``word(at:)`` it reads no byte after them at the end of the
        /// memory.
        @inline(__always)
        func word(at offset: Int, length: Int) -> UInt64 {
            if offset <= count - 8 {
                return word(at: offset) & ((1 << UInt64(truncatingIfNeeded: 8 * length)) &- 1)
            }
            return (0..<length).reversed().reduce(0) { $0 << 8 | UInt64(truncatingIfNeeded: self[offset + $1]) }
        }

        // MARK: Searching

        /// The offset of the first line feed. `nil` if there is none.
        func firstLineFeed(from start: Int) -> Int? {
            precondition(start >= 0 && start <= count)
            let lineFeed = Int32(truncatingIfNeeded: ASCII.lineFeed)
            guard let found = unsafe memchr(base + start, lineFeed, count - start) else { return nil }
            return unsafe UnsafeRawPointer(found) - base
        }

        // Eight bytes at a time. The lowest bit that `Word.below` or `Word.equal` sets is exact. Higher ones may be false (a
        // borrow).

        /// The offset of the first colon, space or control character, or the count.
        func nameEnd(from start: Int) -> Int {
            var offset = start
            while offset <= count - 8 {
                let word = word(at: offset)
                let found = Word.equal(word, Word.colons) | Word.below(word, 0x21)
                if found != 0 { return offset + found.trailingZeroBitCount / 8 }
                offset += 8
            }
            while offset < count, self[offset] != ASCII.colon, self[offset] > ASCII.space { offset += 1 }
            return offset
        }

        /// The offset of the first control character other than a tab, or the count.
        func contentEnd(from start: Int) -> Int {
            var offset = start
            while offset <= count - 8 {
                let word = word(at: offset)
                let found = Word.equal(word, Word.deletes) | Word.below(word, 0x20)
                guard found != 0 else {
                    offset += 8
                    continue
                }
                offset += found.trailingZeroBitCount / 8
                if self[offset] != ASCII.tab { return offset }
                offset += 1
            }
            while offset < count, ASCII.isContent(self[offset]) { offset += 1 }
            return offset
        }

        /// The offset of the first byte in the range that cannot be part of a token, or the end of the range.
        func tokenEnd(in range: Range<Int>) -> Int {
            var offset = range.lowerBound
            while offset < range.upperBound, ASCII.token.contains(self[offset]) { offset += 1 }
            return offset
        }

        /// The range without spaces and tabs at both ends.
        @inline(__always)
        func trimmed(_ range: Range<Int>) -> Range<Int> {
            var (start, end) = (range.lowerBound, range.upperBound)
            while start < end, ASCII.isBlank(self[start]) { start += 1 }
            while end > start, ASCII.isBlank(self[end - 1]) { end -= 1 }
            return start..<end
        }

        // MARK: Comparing

        /// Whether the bytes are those of the text. `lowercase` has no uppercase letter; the bytes may have.
        func equals(_ lowercase: StaticString, in range: Range<Int>) -> Bool {
            guard range.count == lowercase.utf8CodeUnitCount else { return false }
            for index in 0..<range.count
            where unsafe ASCII.lowercased(self[range.lowerBound + index]) != lowercase.utf8Start[index] {
                return false
            }
            return true
        }

        // MARK: Copying

        /// The bytes as a string. Invalid UTF-8 is repaired.
        func string(_ range: Range<Int>) -> String {
            unsafe String(decoding: memory(range), as: UTF8.self)
        }

        /// A field with these bytes as its value, which the parser has checked.
        func field(_ name: HTTPField.Name, _ range: Range<Int>) -> HTTPField {
            // The other initializer keeps bytes that are not UTF-8, and is slower.
            if isASCII(range) { return HTTPField(name: name, value: string(range)) }
            return unsafe HTTPField(name: name, lenientValue: memory(range))
        }

        private func isASCII(_ range: Range<Int>) -> Bool {
            var offset = range.lowerBound
            var bits: UInt64 = 0
            while offset <= range.upperBound - 8 {
                bits |= word(at: offset)
                offset += 8
            }
            while offset < range.upperBound {
                bits |= UInt64(truncatingIfNeeded: self[offset])
                offset += 1
            }
            return bits & 0x8080_8080_8080_8080 == 0
        }

        private func memory(_ range: Range<Int>) -> UnsafeBufferPointer<UInt8> {
            precondition(range.lowerBound >= 0 && range.upperBound <= count)
            return unsafe UnsafeBufferPointer(
                start: (base + range.lowerBound).assumingMemoryBound(to: UInt8.self),
                count: range.count
            )
        }
    }

    /// Tests on eight bytes at once.
    private enum Word {
        static let colons = repeated(ASCII.colon)
        static let deletes = repeated(0x7F)

        @inline(__always)
        static func repeated(_ byte: UInt8) -> UInt64 { UInt64(truncatingIfNeeded: byte) &* 0x0101_0101_0101_0101 }

        /// The top bit of each byte that is less than `limit`, which is at most 0x80.
        @inline(__always)
        static func below(_ word: UInt64, _ limit: UInt8) -> UInt64 {
            (word &- repeated(limit)) & ~word & 0x8080_8080_8080_8080
        }

        /// The top bit of each byte that equals that of the pattern.
        @inline(__always)
        static func equal(_ word: UInt64, _ pattern: UInt64) -> UInt64 { below(word ^ pattern, 1) }
    }
#endif
