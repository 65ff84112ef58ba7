// SPDX-License-Identifier: MIT

/// The encoding base64 (RFC 4648).
package enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// Encodes bytes with padding (section 4).
    package static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.reduce(0) { $0 << 8 | UInt32($1) } << (8 * UInt32(3 - group.count))
            for index in 0..<4 {
                let digit = Int(bits >> UInt32(18 - 6 * index) & 0x3F)
                text.append(index <= group.count ? alphabet[digit] : UInt8(ascii: "="))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Encodes bytes with the alphabet for addresses, and without padding (section 5).
    package static func encodeForURL(_ bytes: [UInt8]) -> String {
        String(encode(bytes).prefix { $0 != "=" }.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 })
    }

    /// The number of bytes that a text encodes, or `nil` if it is not base64.
    package static func decodedCount(_ text: String) -> Int? {
        let bytes = Array(text.utf8)
        guard bytes.count % 4 == 0 else { return nil }
        let digits = bytes.prefix { alphabet.contains($0) }.count
        let padding = bytes.count - digits
        guard padding <= 2, bytes[digits...].allSatisfy({ $0 == UInt8(ascii: "=") }) else { return nil }
        return bytes.count / 4 * 3 - padding
    }
}
