// SPDX-License-Identifier: MIT
import ReactiveSockets
import SchedulerConformance
import Testing

/// Decimal numbers from the network, at and beyond the limits of the integer types.
@Suite struct WireIntegerTests {
    @Test(
        "A decimal number within 64 bits is read",
        arguments: [
            ("0", "0"), ("-0", "0"), ("007", "7"), ("00000000000000000000000000001", "1"), ("-1", "-1"),
            ("9223372036854775807", "9223372036854775807"), ("-9223372036854775808", "-9223372036854775808"),
            ("9223372036854775808", "9223372036854775808"), ("18446744073709551615", "18446744073709551615"),
        ]
    )
    func reads(_ text: String, _ value: String) {
        #expect(WireInteger(decimal: text)?.description == value)
        #expect(WireInteger(decimal: Bytes(text))?.description == value)
    }

    @Test(
        "Anything but a decimal number within 64 bits is refused",
        arguments: [
            "", "-", "--1", "+1", " 1", "1 ", "1\n", "1\u{0}", "\u{0}1", "1.0", "1e9", "0x10", "\u{661}", "1_000",
            "18446744073709551616", "-9223372036854775809", "99999999999999999999999999999999999999999999999999",
        ]
    )
    func refuses(_ text: String) {
        #expect(WireInteger(decimal: text) == nil)
    }

    @Test("A wire integer converts only within the given range")
    func givesNumbersOfTheRangeAlone() {
        let all = Int.min...Int.max
        #expect(WireInteger(Int64.min).value(in: all) == Int.min)
        #expect(WireInteger(UInt64.max).value(in: all) == nil)
        #expect(WireInteger(Int64.min).value(in: 0...10) == nil)
        #expect(WireInteger(11).value(in: 0...10) == nil)
        #expect(WireInteger(10).value(in: 0...10) == 10)
        #expect(WireInteger(Int64.min).clamped(to: -5...10) == -5)
        #expect(WireInteger(UInt64.max).clamped(to: -5...10) == 10)
        #expect(WireInteger(UInt64.max).clamped(to: all) == Int.max)
        #expect(WireInteger(-1) < WireInteger(UInt64.max))
    }

    /// A length prefix of any value reserves memory within the limit only.
    @Test(
        "A length prefix of any value is read without a trap",
        arguments: [1, 2, 4, 8],
        [ByteOrder.bigEndian, .littleEndian]
    )
    func prefixesOfEveryValueAreRead(_ width: Int, _ order: ByteOrder) {
        let largest = UInt64.max >> UInt64(64 - 8 * width)
        for length in [0, 1, 2, largest / 2, largest / 2 + 1, largest - 1, largest] {
            let whole = Array(Bytes(length, order))
            let prefix = order == .bigEndian ? Array(whole.suffix(width)) : Array(whole.prefix(width))
            for includesItself in [false, true] {
                let framing = Framing.lengthPrefix(bytes: width, order, includesItself: includesItself)
                let own = includesItself ? UInt64(width) : 0
                let expected: SocketError.Code? =
                    length < own ? .malformed : length - own > 1 ? .frameTooLong : nil
                let result = cut(prefix + [7], by: framing, limit: 1, at: [])
                if let expected {
                    #expect(result.code == expected, "\(length) in \(width) bytes")
                } else {
                    #expect(result.frames.first == (length == own ? [] : [7]), "\(length) in \(width) bytes")
                }
            }
        }
    }
}
