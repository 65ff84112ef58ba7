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
        "Anything except a decimal number within 64 bits is refused",
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

/// Numbers of a known type from text.
@Suite struct ParsedIntegerTests {
    @Test("A decimal number is read if it fits the type, and only a signed type has a sign")
    func decimal() {
        #expect(Int(decimal: "42") == 42 && Int(decimal: "-42") == -42 && Int(decimal: "007") == 7)
        #expect(Int8(decimal: "127") == 127 && Int8(decimal: "128") == nil && Int8(decimal: "-128") == -128)
        #expect(UInt8(decimal: "255") == 255 && UInt8(decimal: "256") == nil)
        #expect(UInt(decimal: "-1") == nil && UInt(decimal: "-0") == nil && Int(decimal: "-0") == 0)
        #expect(Int(decimal: "9223372036854775807") == .max && Int(decimal: "9223372036854775808") == nil)
        #expect(Int(decimal: "-9223372036854775808") == .min && Int(decimal: "-9223372036854775809") == nil)
        #expect(UInt64(decimal: "18446744073709551615") == .max && UInt64(decimal: "18446744073709551616") == nil)
        for text in ["", "-", "+1", " 1", "1 ", "1\n", "0x1", "1_0", "\u{661}", "--1", "1-", "1\u{0}"] {
            #expect(Int(decimal: Bytes(text)) == nil, "\(text)")
        }
    }

    @Test("A hexadecimal number is read if it fits the type, and never has a sign or a prefix")
    func hexadecimal() {
        #expect(Int(hexadecimal: "fF0") == 0xff0 && Int(hexadecimal: "00a") == 10)
        #expect(UInt8(hexadecimal: "ff") == 255 && UInt8(hexadecimal: "0100") == nil)
        #expect(Int8(hexadecimal: "7f") == 127 && Int8(hexadecimal: "ff") == nil && Int8(hexadecimal: "80") == nil)
        #expect(Int(hexadecimal: "7fffffffffffffff") == .max && Int(hexadecimal: "8000000000000000") == nil)
        #expect(UInt64(hexadecimal: "ffffffffffffffff") == .max && UInt64(hexadecimal: "10000000000000000") == nil)
        #expect(WireInteger(hexadecimal: Bytes("FFFFFFFFFFFFFFFF")) == WireInteger(UInt64.max))
        #expect(WireInteger(hexadecimal: "1a")?.value(in: 0...100) == 26)
        for text in ["", "-1", "+1", "0x1", "g", "1 ", " 1", "1;", "f\u{0}", "1\r"] {
            #expect(Int(hexadecimal: Bytes(text)) == nil && WireInteger(hexadecimal: text) == nil, "\(text)")
        }
    }

    @Test("All numbers of one byte are read from their text, even in slices")
    func everyByte() {
        for number in UInt8.min...UInt8.max {
            let decimal = Bytes("1\(number)2").dropFirst().dropLast()
            #expect(UInt8(decimal: decimal) == number && Int16(decimal: Bytes("-\(number)")) == -Int16(number))
            #expect(Int8(decimal: decimal) == Int8(exactly: number))
            #expect(UInt8(hexadecimal: Bytes(String(number, radix: 16))) == number)
            #expect(UInt8(hexadecimal: Bytes(String(number, radix: 16, uppercase: true))) == number)
        }
    }
}
