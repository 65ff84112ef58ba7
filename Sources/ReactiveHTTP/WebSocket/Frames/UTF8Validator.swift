// SPDX-License-Identifier: MIT
#if HTTP
    /// Validates UTF-8 that arrives in parts (RFC 3629 section 4). It rejects a byte as soon as no valid text can contain
    /// it.
    struct UTF8Validator: Sendable, Equatable {
        /// The number of bytes that the current character still needs.
        private var needed = 0
        /// The bounds of the next continuation byte. They exclude overlong forms, surrogates, and code points after
        /// U+10FFFF.
        private var lower: UInt8 = 0x80
        private var upper: UInt8 = 0xBF

        /// Whether the text so far ends at the end of a character.
        var isAtBoundary: Bool { needed == 0 }

        /// Adds bytes. Returns false if the text is invalid.
        ///
        /// Safe: the loops stay below the count of the buffer.
        mutating func accepts(_ memory: UnsafeRawBufferPointer) -> Bool {
            guard let base = memory.baseAddress else { return true }
            let count = memory.count
            var offset = 0
            while offset < count {
                if needed == 0 {
                    // Eight bytes of ASCII at once.
                    while offset + 8 <= count {
                        let word = unsafe base.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                        if word & 0x8080_8080_8080_8080 != 0 { break }
                        offset += 8
                    }
                    if offset == count { return true }
                }
                guard accepts(unsafe base.load(fromByteOffset: offset, as: UInt8.self)) else { return false }
                offset += 1
            }
            return true
        }

        @inline(__always)
        private mutating func accepts(_ byte: UInt8) -> Bool {
            if needed > 0 {
                guard byte >= lower, byte <= upper else { return false }
                (lower, upper) = (0x80, 0xBF)
                needed -= 1
                return true
            }
            switch byte {
            case 0x00...0x7F: return true
            case 0xC2...0xDF: needed = 1
            case 0xE0...0xEF:
                needed = 2
                if byte == 0xE0 { lower = 0xA0 }
                if byte == 0xED { upper = 0x9F }
            case 0xF0...0xF4:
                needed = 3
                if byte == 0xF0 { lower = 0x90 }
                if byte == 0xF4 { upper = 0x8F }
            default: return false
            }
            return true
        }
    }
#endif
