// SPDX-License-Identifier: MIT
#if HTTP
    /// The hash function SHA-1 (RFC 3174), which the WebSocket handshake uses as a checksum. It protects nothing.
    enum SHA1 {
        /// Returns the 20 bytes of the digest.
        static func digest(of message: some Collection<UInt8>) -> [UInt8] {
            var padded = Array(message)
            padded.append(0x80)
            while padded.count % 64 != 56 { padded.append(0) }
            let bitCount = UInt64(message.count) * 8
            for shift in stride(from: 56, through: 0, by: -8) {
                padded.append(UInt8(truncatingIfNeeded: bitCount >> shift))
            }
            var hash: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0]
            for start in stride(from: 0, to: padded.count, by: 64) { add(padded[start..<start + 64], to: &hash) }
            return hash.flatMap { word in [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> $0) } }
        }

        private static func add(_ block: ArraySlice<UInt8>, to hash: inout [UInt32]) {
            var words: [UInt32] = []
            words.reserveCapacity(80)
            for start in stride(from: block.startIndex, to: block.endIndex, by: 4) {
                words.append(block[start..<start + 4].reduce(0) { $0 << 8 | UInt32($1) })
            }
            for index in 16..<80 {
                words.append(rotated(words[index - 3] ^ words[index - 8] ^ words[index - 14] ^ words[index - 16], 1))
            }
            var (a, b, c, d, e) = (hash[0], hash[1], hash[2], hash[3], hash[4])
            for index in 0..<80 {
                let (mixed, constant): (UInt32, UInt32) =
                    switch index {
                    case 0..<20: (b & c | ~b & d, 0x5A82_7999)
                    case 20..<40: (b ^ c ^ d, 0x6ED9_EBA1)
                    case 40..<60: (b & c | b & d | c & d, 0x8F1B_BCDC)
                    default: (b ^ c ^ d, 0xCA62_C1D6)
                    }
                let next = rotated(a, 5) &+ mixed &+ e &+ words[index] &+ constant
                (a, b, c, d, e) = (next, a, rotated(b, 30), c, d)
            }
            for (index, word) in [a, b, c, d, e].enumerated() { hash[index] &+= word }
        }

        private static func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 { word << count | word >> (32 - count) }
    }
#endif
