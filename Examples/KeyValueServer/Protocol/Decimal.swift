// SPDX-License-Identifier: MIT
import ReactiveSockets

/// Integers in the protocol's form: digits, with an optional minus before them.
enum Decimal {
    /// Parses the bytes between `start` and `end`. Returns `nil` for other text, leading zeros, and numbers out of
    /// range.
    @inline(__always)
    static func parse(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Int? {
        var position = start
        let isNegative = position < end && bytes[position] == ASCII.minus
        if isNegative { position += 1 }
        guard position < end, end - position <= 19 else { return nil }
        if bytes[position] == ASCII.zero { return end - start == 1 ? 0 : nil }
        // Accumulated as a negative number, because `Int.min` has no positive counterpart.
        var value = 0
        while position < end {
            let byte = bytes[position]
            guard byte >= ASCII.zero, byte <= ASCII.nine else { return nil }
            let (product, isTooLarge) = value.multipliedReportingOverflow(by: 10)
            let (sum, isOver) = product.subtractingReportingOverflow(Int(byte - ASCII.zero))
            if isTooLarge || isOver { return nil }
            value = sum
            position += 1
        }
        if isNegative { return value }
        return value == .min ? nil : -value
    }

    /// A fast path for up to eight digits, followed by a carriage return. Returns `nil` for anything else. Then use
    /// `parse`.
    @inline(__always)
    static func read(_ bytes: Span<UInt8>, _ start: Int) -> (number: Int, end: Int)? {
        var (value, position) = (0, start)
        let last = min(bytes.count, start + 9)
        while position < last {
            let digit = bytes[position] &- ASCII.zero
            if digit > 9 {
                guard bytes[position] == ASCII.carriageReturn, position > start else { return nil }
                // Leading zeros are not allowed.
                if bytes[start] == ASCII.zero, position - start > 1 { return nil }
                return (value, position)
            }
            value = value &* 10 &+ Int(digit)
            position += 1
        }
        return nil
    }

    static func parse(_ bytes: Bytes) -> Int? {
        bytes.withSpan { parse($0, 0, $0.count) }
    }

    /// Appends the number's digits.
    @inline(__always)
    static func append(_ number: Int, to text: inout [UInt8]) {
        if (0...9).contains(number) { return text.append(ASCII.zero + UInt8(number)) }
        if number < 0 { text.append(ASCII.minus) }
        var rest = number.magnitude
        let begin = text.count
        while rest > 0 {
            text.append(ASCII.zero + UInt8(rest % 10))
            rest /= 10
        }
        text[begin...].reverse()
    }

    static func bytes(_ number: Int) -> Bytes {
        var text: [UInt8] = []
        append(number, to: &text)
        return Bytes(text)
    }
}
