// SPDX-License-Identifier: MIT
#if HTTP
    /// The key that a client XORs with its payload (RFC 6455 section 5.3).
    struct MaskingKey: Sendable, Equatable {
        /// The four bytes. The first one has the lowest bits.
        var bits: UInt32

        /// A key that the peer and the application cannot predict (RFC 6455 section 10.3).
        static func random() -> MaskingKey {
            var generator = SystemRandomNumberGenerator()
            return MaskingKey(bits: generator.next())
        }

        /// The key for the bytes after `count` bytes.
        func advanced(by count: Int) -> MaskingKey {
            let shift = UInt32(count & 3) * 8
            return shift == 0 ? self : MaskingKey(bits: bits >> shift | bits << (32 - shift))
        }

        /// Copies bytes and XORs them with the key. Masking and unmasking are the same.
        ///
        /// Safe: the loops stay below `count`, which both buffers have.
        func apply(_ source: UnsafeRawBufferPointer, to target: UnsafeMutableRawBufferPointer) {
            let count = source.count
            precondition(target.count >= count)
            guard count > 0, let input = source.baseAddress, let output = target.baseAddress else { return }
            let word = UInt64(bits) | UInt64(bits) << 32
            var offset = 0
            while offset + 8 <= count {
                let masked = unsafe input.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                unsafe output.storeBytes(of: masked ^ word.littleEndian, toByteOffset: offset, as: UInt64.self)
                offset += 8
            }
            var rest = word
            while offset < count {
                let masked = unsafe input.load(fromByteOffset: offset, as: UInt8.self)
                unsafe output.storeBytes(
                    of: masked ^ UInt8(truncatingIfNeeded: rest),
                    toByteOffset: offset,
                    as: UInt8.self
                )
                rest >>= 8
                offset += 1
            }
        }
    }
#endif
