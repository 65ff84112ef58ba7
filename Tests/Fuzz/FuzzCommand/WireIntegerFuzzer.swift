// SPDX-License-Identifier: MIT
import FuzzSupport
import ReactiveSockets
import ReactiveSupport
import SchedulerConformance

/// Compares decimal numbers from the network with their digits as text.
enum WireIntegerFuzzer {
    static let fuzzer = Fuzzer("wire-integer", make: make, check: check)

    private static let spoiler = Spoiler(delimiters: ["-", "+", " ", "\u{0}", "0", "\n", "a", "F"])
    private static let bounds = [Int.min, Int.min + 1, -1, 0, 1, 255, Int.max - 1, Int.max]

    private static func make(_ random: inout SplitMix64) -> [UInt8] {
        var input =
            random.oneIn(2)
            ? Array(random.pick(Spoiler.extremes).utf8) : Array("\(Int64(bitPattern: random.next()))".utf8)
        spoiler.spoil(&input, &random)
        return input
    }

    private static func check(_ input: [UInt8], _ random: inout SplitMix64) -> String? {
        let found = WireInteger(decimal: input)
        let expected = reference(input)
        if found?.description != expected {
            return "\(input) is \(found as Any), the reference says \(expected as Any)"
        }
        if let difference = types(input, expected) ?? hexadecimal(input) { return difference }
        guard let found, let expected else { return nil }
        let (first, second) = (random.pick(bounds), random.pick(bounds))
        let range = min(first, second)...max(first, second)
        let inRange = Int(expected).flatMap { range.contains($0) ? $0 : nil }
        if found.value(in: range) != inRange { return "\(found) in \(range): \(found.value(in: range) as Any)" }
        let clamped = found.clamped(to: range)
        let isNearest = inRange.map { $0 == clamped } ?? (clamped == range.lowerBound || clamped == range.upperBound)
        return isNearest && range.contains(clamped) ? nil : "\(found) clamped to \(range): \(clamped)"
    }

    /// Numbers of a known type: the standard library reads the digits of the reference.
    private static func types(_ input: [UInt8], _ expected: String?) -> String? {
        let (text, isNegative) = (Bytes(input), input.first == 45)
        let isSame =
            Int(decimal: text) == expected.flatMap { Int($0) } && Int8(decimal: text) == expected.flatMap { Int8($0) }
            && UInt64(decimal: text) == (isNegative ? nil : expected.flatMap { UInt64($0) })
            && UInt8(decimal: text) == (isNegative ? nil : expected.flatMap { UInt8($0) })
        return isSame ? nil : "\(input) is not \(expected as Any) as a number of a known type"
    }

    private static func hexadecimal(_ input: [UInt8]) -> String? {
        let isHexadecimal =
            !input.isEmpty
            && input.allSatisfy {
                UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0
                    || UInt8(ascii: "a")...UInt8(ascii: "f") ~= $0 || UInt8(ascii: "A")...UInt8(ascii: "F") ~= $0
            }
        let expected = isHexadecimal ? UInt64(String(decoding: input, as: UTF8.self), radix: 16) : nil
        let text = Bytes(input)
        let isSame =
            UInt64(hexadecimal: text) == expected && Int8(hexadecimal: text) == expected.flatMap { Int8(exactly: $0) }
            && WireInteger(hexadecimal: input) == expected.map { WireInteger($0) }
        return isSame ? nil : "\(input) is not \(expected as Any) in hexadecimal"
    }

    /// The same rule on text alone: compares digits as strings of equal length.
    private static func reference(_ input: [UInt8]) -> String? {
        let isNegative = input.first == 45
        let digits = input.dropFirst(isNegative ? 1 : 0)
        guard !digits.isEmpty, digits.allSatisfy({ (48...57).contains($0) }) else { return nil }
        let plain = String(decoding: digits.drop { $0 == 48 }, as: UTF8.self)
        if plain.isEmpty { return "0" }
        let limit = isNegative ? "9223372036854775808" : "18446744073709551615"
        guard plain.count < limit.count || plain.count == limit.count && plain <= limit else { return nil }
        return (isNegative ? "-" : "") + plain
    }
}
