// SPDX-License-Identifier: MIT
import CReactive
import Glibc
import ReactiveSupport

extension Bytes {
    /// Returns the offset of the first delimiter at or after offset `start`, or nil. Offsets count from the first byte.
    func offset(of delimiter: Delimiter, from start: Int) -> Int? {
        unsafe delimiter.bytes.withUnsafeBytes { unsafe offset(of: $0, from: start) }
    }

    /// The bytes at a range of offsets from the first byte. They share the memory, and their indices begin at 0.
    func part(_ offsets: Range<Int>) -> Bytes {
        guard let slab, !offsets.isEmpty else { return Bytes() }
        return Bytes(slab, origin: origin + startIndex + offsets.lowerBound, count: offsets.count)
    }
}

// Each search has an overload for strings, so that a literal is not first copied into `Bytes`. No search allocates
// memory.
extension Bytes {
    /// Finds the first occurrence of a pattern: `head.firstRange(of: "\r\n")`. The time is linear.
    ///
    /// - Parameter pattern: The bytes to find, as UTF-8. An empty pattern is found at ``startIndex``.
    /// - Returns: The range of indices of the occurrence, or nil if there is none.
    public func firstRange(of pattern: String) -> Range<Int>? {
        unsafe pattern.withUTF8Memory { unsafe range(first: $0) }
    }

    /// Finds the first occurrence of a pattern. The time is linear.
    ///
    /// - Parameter pattern: The bytes to find. An empty pattern is found at ``startIndex``.
    /// - Returns: The range of indices of the occurrence, or nil if there is none.
    public func firstRange(of pattern: Bytes) -> Range<Int>? {
        unsafe pattern.withUnsafeBytes { unsafe range(first: $0) }
    }

    /// Finds the last occurrence of a pattern.
    ///
    /// The time is linear if few bytes equal the last byte of the pattern. At worst it is proportional to the product
    /// of both lengths.
    ///
    /// - Parameter pattern: The bytes to find, as UTF-8. An empty pattern is found at ``endIndex``.
    /// - Returns: The range of indices of the occurrence, or nil if there is none.
    public func lastRange(of pattern: String) -> Range<Int>? {
        unsafe pattern.withUTF8Memory { unsafe range(last: $0) }
    }

    /// Finds the last occurrence of a pattern.
    ///
    /// The time is linear if few bytes equal the last byte of the pattern. At worst it is proportional to the product
    /// of both lengths.
    ///
    /// - Parameter pattern: The bytes to find. An empty pattern is found at ``endIndex``.
    /// - Returns: The range of indices of the occurrence, or nil if there is none.
    public func lastRange(of pattern: Bytes) -> Range<Int>? {
        unsafe pattern.withUnsafeBytes { unsafe range(last: $0) }
    }

    /// Whether the pattern occurs in the bytes. An empty pattern always occurs.
    public func contains(_ pattern: String) -> Bool { firstRange(of: pattern) != nil }

    /// Whether the pattern occurs in the bytes. An empty pattern always occurs.
    public func contains(_ pattern: Bytes) -> Bool { firstRange(of: pattern) != nil }

    /// Splits the bytes at a separator: `line.split(separator: ": ", maxSplits: 1)`.
    ///
    /// It returns the same parts as the standard library's `split` for collections. The time is linear.
    ///
    /// - Parameters:
    ///   - separator: The bytes between the parts, as UTF-8. An empty separator splits nothing.
    ///   - maxSplits: The maximum number of splits. A negative number traps.
    ///   - omittingEmptySubsequences: Whether empty parts are left out.
    /// - Returns: The parts in order. They share the memory and keep their indices.
    public func split(
        separator: String,
        maxSplits: Int = .max,
        omittingEmptySubsequences: Bool = true
    ) -> [Bytes] {
        unsafe separator.withUTF8Memory { unsafe parts(between: $0, maxSplits, omittingEmptySubsequences) }
    }

    /// Splits the bytes at a separator.
    ///
    /// It returns the same parts as the standard library's `split` for collections. The time is linear.
    ///
    /// - Parameters:
    ///   - separator: The bytes between the parts. Empty bytes split nothing.
    ///   - maxSplits: The maximum number of splits. A negative number traps.
    ///   - omittingEmptySubsequences: Whether empty parts are left out.
    /// - Returns: The parts in order. They share the memory and keep their indices.
    public func split(
        separator: Bytes,
        maxSplits: Int = .max,
        omittingEmptySubsequences: Bool = true
    ) -> [Bytes] {
        unsafe separator.withUnsafeBytes { unsafe parts(between: $0, maxSplits, omittingEmptySubsequences) }
    }
}

// Safe: every pattern is memory that its owner retains during the call. Offsets stay within the count.
extension Bytes {
    private func range(first pattern: UnsafeRawBufferPointer) -> Range<Int>? {
        unsafe offset(of: pattern, from: 0).map { indices(at: $0, pattern.count) }
    }

    private func range(last pattern: UnsafeRawBufferPointer) -> Range<Int>? {
        unsafe withUnsafeBytes { memory -> Range<Int>? in
            guard let wanted = pattern.baseAddress, pattern.count > 0 else { return endIndex..<endIndex }
            guard let base = memory.baseAddress else { return nil }
            let found = unsafe reactive_find_last(base, memory.count, wanted, pattern.count)
            return unsafe found.map { unsafe indices(at: UnsafeRawPointer($0) - base, pattern.count) }
        }
    }

    private func indices(at offset: Int, _ count: Int) -> Range<Int> {
        startIndex + offset..<startIndex + offset + count
    }

    /// The offset of the first `pattern` at or after offset `start`, counted from the first byte.
    private func offset(of pattern: UnsafeRawBufferPointer, from start: Int) -> Int? {
        unsafe withUnsafeBytes { memory -> Int? in
            if pattern.count == 0 { return start }
            guard let base = memory.baseAddress, start < memory.count else { return nil }
            let length = memory.count - start
            let found: UnsafeMutableRawPointer?
            if pattern.count == 1 {
                let byte = unsafe Int32(pattern[0])  // checked: a byte always fits
                unsafe found = memchr(base + start, byte, length)
            } else {
                unsafe found = reactive_find(base + start, length, pattern.baseAddress, pattern.count)
            }
            return unsafe found.map { unsafe UnsafeRawPointer($0) - base }
        }
    }

    private func parts(
        between separator: UnsafeRawBufferPointer,
        _ maxSplits: Int,
        _ omitsEmpty: Bool
    ) -> [Bytes] {
        require(maxSplits >= 0, "cannot split \(maxSplits) times: use 0 or more")
        var parts: [Bytes] = []
        var start = 0
        while parts.count < maxSplits, separator.count > 0, let found = unsafe offset(of: separator, from: start) {
            if found > start || !omitsEmpty { parts.append(self[startIndex + start..<startIndex + found]) }
            start = found + separator.count
        }
        if start < count || !omitsEmpty { parts.append(self[startIndex + start..<endIndex]) }
        return parts
    }
}

extension String {
    /// Calls `body` with the string's UTF-8. The string is not copied, because Swift strings on Linux are always UTF-8.
    ///
    /// Safe: the memory is valid during the call.
    func withUTF8Memory<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        var text = self
        return text.withUTF8 { unsafe body(UnsafeRawBufferPointer($0)) }
    }
}
