// SPDX-License-Identifier: MIT
package import ReactiveSupport

/// Spoils inputs in ways that reveal parser defects: extreme numbers, lengths off by one, doubled delimiters,
/// truncation.
package struct Spoiler: Sendable {
    /// Numbers at and beyond the limits of the integer types, and texts that are nearly numbers.
    package static let extremes: [String] = [
        "-9223372036854775808", "-9223372036854775809", "9223372036854775807", "9223372036854775808",
        "18446744073709551615", "18446744073709551616", "99999999999999999999999999", "4294967295", "4294967296",
        "2147483647", "2147483648", "-2147483648", "-1", "-0", "0", "00", "0000000000000000000000001", "+1", " 1", "1 ",
        "1\u{0}", "\u{0}1", "", "-", "1e9", "0x10", "\u{0661}",
    ]

    private let delimiters: [[UInt8]]

    /// `delimiters` are the bytes with a meaning for the parser.
    package init(delimiters: [String]) {
        self.delimiters = delimiters.map { Array($0.utf8) }
    }

    /// Spoils `input` in up to three places.
    package func spoil(_ input: inout [UInt8], _ random: inout SplitMix64) {
        for _ in 0..<random.number(in: 0..<4) { spoilOnce(&input, &random) }
    }

    private func spoilOnce(_ input: inout [UInt8], _ random: inout SplitMix64) {
        let place = random.number(in: 0..<input.count + 1)
        switch random.number(in: 0..<9) {
        case 0, 1: replaceNumber(&input, near: place, &random)
        case 2: stepNumber(&input, near: place, by: random.oneIn(2) ? 1 : -1)
        case 3: input.insert(contentsOf: random.pick(delimiters), at: place)
        case 4: input.removeSubrange(place...)
        case 5: input.insert(contentsOf: random.bytes(random.number(in: 1..<4)), at: place)
        case 6: if place < input.count { input.remove(at: place) }
        case 7: if place < input.count { input[place] ^= 1 << UInt8(random.number(in: 0..<8)) }
        default:
            let end = min(input.count, place + random.number(in: 1..<40))
            input.insert(contentsOf: input[place..<end], at: place)
        }
    }

    /// The first run of digits at or after `place`.
    private func number(in input: [UInt8], near place: Int) -> Range<Int>? {
        let isDigit: (UInt8) -> Bool = { (48...57).contains($0) }
        guard var start = input[place...].firstIndex(where: isDigit) else { return nil }
        let end = input[start...].firstIndex { !isDigit($0) } ?? input.count
        while start > 0, isDigit(input[start - 1]) { start -= 1 }
        return start..<end
    }

    private func replaceNumber(_ input: inout [UInt8], near place: Int, _ random: inout SplitMix64) {
        guard let range = number(in: input, near: place) else { return }
        input.replaceSubrange(range, with: Array(random.pick(Self.extremes).utf8))
    }

    private func stepNumber(_ input: inout [UInt8], near place: Int, by step: Int) {
        guard let range = number(in: input, near: place),
            let old = Int(String(decoding: input[range], as: UTF8.self))
        else { return }
        input.replaceSubrange(range, with: Array("\(old &+ step)".utf8))
    }
}
