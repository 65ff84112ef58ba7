// SPDX-License-Identifier: MIT
import Glibc

extension Bytes {
    /// Whether the bytes are the UTF-8 of the string: `command == "PING"`.
    ///
    /// The comparison is exact. Characters that Unicode considers equal, such as `é` and `e` with an accent, differ if
    /// their bytes differ. It allocates no memory.
    public static func == (bytes: Bytes, text: String) -> Bool {
        unsafe text.withUTF8Memory { unsafe bytes.count == $0.count && bytes.isEqual(at: 0, to: $0) }
    }

    /// Whether the bytes are the UTF-8 of the string.
    public static func == (text: String, bytes: Bytes) -> Bool { bytes == text }

    /// Whether the bytes differ from the UTF-8 of the string.
    public static func != (bytes: Bytes, text: String) -> Bool { !(bytes == text) }

    /// Whether the bytes differ from the UTF-8 of the string.
    public static func != (text: String, bytes: Bytes) -> Bool { !(bytes == text) }

    /// Whether the bytes are the UTF-8 of the string, for `switch`: `case "PING": …`.
    public static func ~= (pattern: String, bytes: Bytes) -> Bool { bytes == pattern }

    /// Whether the bytes begin with the UTF-8 of the string. Any bytes begin with an empty string.
    public func hasPrefix(_ prefix: String) -> Bool {
        unsafe prefix.withUTF8Memory { unsafe $0.count <= count && isEqual(at: 0, to: $0) }
    }

    /// Whether the bytes begin with `prefix`. Any bytes begin with an empty prefix.
    public func hasPrefix(_ prefix: Bytes) -> Bool {
        unsafe prefix.withUnsafeBytes { unsafe $0.count <= count && isEqual(at: 0, to: $0) }
    }

    /// Whether the bytes end with the UTF-8 of the string. Any bytes end with an empty string.
    public func hasSuffix(_ suffix: String) -> Bool {
        unsafe suffix.withUTF8Memory { unsafe $0.count <= count && isEqual(at: count - $0.count, to: $0) }
    }

    /// Whether the bytes end with `suffix`. Any bytes end with an empty suffix.
    public func hasSuffix(_ suffix: Bytes) -> Bool {
        unsafe suffix.withUnsafeBytes { unsafe $0.count <= count && isEqual(at: count - $0.count, to: $0) }
    }

    /// Whether the bytes from `offset` on begin with `other`. The caller has checked that there are enough bytes.
    ///
    /// Safe: both buffers are retained during the call.
    func isEqual(at offset: Int, to other: UnsafeRawBufferPointer) -> Bool {
        unsafe withUnsafeBytes { memory in
            guard let base = memory.baseAddress, let wanted = other.baseAddress, other.count > 0 else { return true }
            return unsafe memcmp(base + offset, wanted, other.count) == 0
        }
    }
}

// MARK: ASCII

extension Bytes {
    /// Whether every byte is an ASCII character, 0 to 127. Empty bytes are ASCII.
    public var isASCII: Bool { allSatisfy { $0 < 0x80 } }

    /// Whether the bytes are the UTF-8 of the string, ignoring the case of ASCII letters:
    /// `name.equalsIgnoringASCIICase("content-length")`. All other bytes must be the same.
    public func equalsIgnoringASCIICase(_ text: String) -> Bool {
        unsafe text.withUTF8Memory { unsafe equalsIgnoringCase($0) }
    }

    /// Whether the bytes equal those of `other`, ignoring the case of ASCII letters.
    public func equalsIgnoringASCIICase(_ other: Bytes) -> Bool {
        unsafe other.withUnsafeBytes { unsafe equalsIgnoringCase($0) }
    }

    /// Returns the bytes without leading and trailing spaces, tabs, carriage returns and line feeds.
    ///
    /// The slice shares the memory and keeps the indices.
    public func trimmingASCIIWhitespace() -> Bytes {
        let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D }
        var (start, end) = (startIndex, endIndex)
        while start < end, isBlank(load(start)) { start += 1 }
        while end > start, isBlank(load(end - 1)) { end -= 1 }
        return self[start..<end]
    }

    /// Returns a copy in which `a` to `z` replace the ASCII letters `A` to `Z`. Its indices begin at 0.
    public func lowercasedASCII() -> Bytes { mapped { $0.lowercasedASCII } }

    /// Returns a copy in which `A` to `Z` replace the ASCII letters `a` to `z`. Its indices begin at 0.
    public func uppercasedASCII() -> Bytes {
        mapped { byte in byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z") ? byte ^ 0x20 : byte }
    }

    /// Safe: writes as many bytes as it has allocated.
    private func mapped(_ transform: (UInt8) -> UInt8) -> Bytes {
        if isEmpty { return Bytes() }
        return unsafe Bytes(capacity: count) { memory in
            for offset in 0..<count { unsafe memory[offset] = transform(load(startIndex + offset)) }
            return count
        }
    }

    /// Safe: `other` is retained during the call. It has the same number of bytes, which is checked first.
    private func equalsIgnoringCase(_ other: UnsafeRawBufferPointer) -> Bool {
        guard count == other.count else { return false }
        for offset in 0..<count
        where unsafe load(startIndex + offset).lowercasedASCII != other[offset].lowercasedASCII {
            return false
        }
        return true
    }
}

extension UInt8 {
    /// `a` to `z` for `A` to `Z`, and any other byte unchanged.
    fileprivate var lowercasedASCII: UInt8 {
        self >= UInt8(ascii: "A") && self <= UInt8(ascii: "Z") ? self | 0x20 : self
    }
}
