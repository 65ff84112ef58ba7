// SPDX-License-Identifier: MIT
import ReactiveSockets

/// A pattern of keys or channels.
///
/// `*` matches any bytes, `?` one byte, `[a-c]` and `[^a]` one byte of a set. After a backslash, the next byte is
/// literal.
struct Glob: Sendable {
    private let pattern: [UInt8]

    init(_ pattern: Bytes) {
        self.pattern = Array(pattern)
    }

    /// Whether the pattern is `*`, which matches every key.
    var isStar: Bool { pattern == [ASCII.star] }

    /// Whether the pattern matches the text. As in Redis, only an empty pattern matches an empty text.
    func matches(_ text: Bytes) -> Bool {
        if text.isEmpty { return pattern.isEmpty }
        return isStar || text.withSpan { matches($0) }
    }

    /// Backtracks only to the last star, so the number of steps is at most the product of the two lengths.
    private func matches(_ text: Span<UInt8>) -> Bool {
        var (place, index) = (0, 0)
        var star: (place: Int, index: Int)?
        while index < text.count {
            if place < pattern.count, pattern[place] == ASCII.star {
                place += 1
                star = (place, index)
            } else if let next = matchOne(text[index], place) {
                place = next
                index += 1
            } else if let last = star {
                star = (last.place, last.index + 1)
                (place, index) = (last.place, last.index + 1)
            } else {
                return false
            }
        }
        return pattern[place...].allSatisfy { $0 == ASCII.star }
    }

    /// Matches one byte against the pattern at `place`. Returns the position after the matched part, or nil if the byte
    /// does not match.
    private func matchOne(_ byte: UInt8, _ place: Int) -> Int? {
        guard place < pattern.count else { return nil }
        switch pattern[place] {
        case ASCII.question: return place + 1
        case ASCII.openBracket: return matchSet(byte, place + 1)
        case ASCII.backslash where place + 1 < pattern.count: return pattern[place + 1] == byte ? place + 2 : nil
        case let other: return other == byte ? place + 1 : nil
        }
    }

    /// Matches one byte against a set that starts at `begin`. A set without a closing bracket ends with the pattern.
    private func matchSet(_ byte: UInt8, _ begin: Int) -> Int? {
        var place = begin
        let isNegated = place < pattern.count && pattern[place] == ASCII.caret
        if isNegated { place += 1 }
        var isMember = false
        while place < pattern.count, pattern[place] != ASCII.closeBracket {
            if pattern[place] == ASCII.backslash, place + 1 < pattern.count {
                place += 1
                isMember = isMember || pattern[place] == byte
            } else if place + 2 < pattern.count, pattern[place + 1] == ASCII.minus {
                let (one, other) = (pattern[place], pattern[place + 2])
                isMember = isMember || (min(one, other)...max(one, other)).contains(byte)
                place += 2
            } else {
                isMember = isMember || pattern[place] == byte
            }
            place += 1
        }
        return isMember != isNegated ? min(place + 1, pattern.count) : nil
    }
}
