// SPDX-License-Identifier: MIT
import ReactiveSockets
import ReactiveSupport
import SchedulerConformance
import Testing

/// Searches in bytes, compared with the simplest reference on arrays.
@Suite struct BytesSearchTests {
    /// Few letters: patterns occur often, overlap and begin like themselves.
    private func text(_ length: ClosedRange<Int>, _ random: inout SplitMix64) -> [UInt8] {
        (0..<Int.random(in: length, using: &random)).map { _ in UInt8.random(in: 97...98, using: &random) }
    }

    /// All offsets at which the pattern occurs.
    private func occurrences(_ pattern: [UInt8], _ bytes: [UInt8]) -> [Int] {
        guard pattern.count <= bytes.count else { return [] }
        return (0...bytes.count - pattern.count).filter { Array(bytes[$0..<$0 + pattern.count]) == pattern }
    }

    @Test("Random searches match a search at every offset, even in slices")
    func model() {
        var random = SplitMix64(seed: 5)
        for _ in 0..<5000 {
            let (input, pattern) = (text(0...24, &random), text(0...4, &random))
            let base = Int.random(in: 0...3, using: &random)
            let around = (text(base...base, &random), text(3...3, &random))
            let bytes = Bytes(around.0 + input + around.1)[base..<base + input.count]
            let wanted = String(decoding: pattern, as: UTF8.self)
            let all = occurrences(pattern, input)
            let first = all.first.map { base + $0..<base + $0 + pattern.count }
            let last = all.last.map { base + $0..<base + $0 + pattern.count }
            let found = [
                bytes.firstRange(of: wanted) == first, bytes.firstRange(of: Bytes(pattern)) == first,
                bytes.lastRange(of: wanted) == last, bytes.lastRange(of: Bytes(pattern)) == last,
                bytes.contains(wanted) == (first != nil), bytes.contains(Bytes(pattern)) == (first != nil),
                bytes.hasPrefix(wanted) == all.contains(0), bytes.hasPrefix(Bytes(pattern)) == all.contains(0),
                bytes.hasSuffix(wanted) == all.contains(input.count - pattern.count),
                bytes.hasSuffix(Bytes(pattern)) == all.contains(input.count - pattern.count),
                (bytes == wanted) == (input == pattern), (wanted != bytes) == (input != pattern),
            ]
            guard found.allSatisfy({ $0 }) else {
                Issue.record("\(wanted) in \(String(decoding: input, as: UTF8.self)) at \(base): \(found)")
                return
            }
        }
    }

    @Test("Splitting returns the same parts as the standard library's split of an array")
    func splitting() {
        var random = SplitMix64(seed: 6)
        for _ in 0..<5000 {
            let (input, separator) = (text(0...20, &random), text(1...3, &random))
            let most = [0, 1, 2, Int.max].randomElement(using: &random) ?? 0
            let omits = Bool.random(using: &random)
            let bytes = Bytes([1] + input + [97])[1..<1 + input.count]
            let text = String(decoding: separator, as: UTF8.self)
            let expected = naive(input, separator, most, omits)
            for parts in [
                bytes.split(separator: text, maxSplits: most, omittingEmptySubsequences: omits),
                bytes.split(separator: Bytes(separator), maxSplits: most, omittingEmptySubsequences: omits),
            ] {
                let isSame = parts.map { Array($0) } == expected
                #expect(isSame, "\(input) by \(separator), at most \(most), omits \(omits): \(parts)")
                #expect(parts.allSatisfy { $0.elementsEqual(bytes[$0.indices]) }, "a part keeps its indices")
            }
        }
    }

    private func naive(_ input: [UInt8], _ separator: [UInt8], _ most: Int, _ omits: Bool) -> [[UInt8]] {
        var (parts, start, place): ([[UInt8]], Int, Int) = ([], 0, 0)
        while parts.count < most, place + separator.count <= input.count {
            guard input[place...].starts(with: separator) else {
                place += 1
                continue
            }
            if !omits || place > start { parts.append(Array(input[start..<place])) }
            place += separator.count
            start = place
        }
        if !omits || start < input.count { parts.append(Array(input[start...])) }
        return parts
    }

    @Test("An empty pattern is found at the start and the end, and splits nothing")
    func emptyPattern() {
        let bytes = Bytes("abc")[1...]
        #expect(bytes.firstRange(of: "") == 1..<1 && bytes.lastRange(of: Bytes()) == 3..<3)
        #expect(bytes.contains("") && bytes.hasPrefix("") && bytes.hasSuffix(Bytes()))
        #expect(bytes.split(separator: "") == ["bc"] && Bytes().split(separator: "") == [])
        #expect(Bytes().split(separator: "x", omittingEmptySubsequences: false) == [Bytes()])
        #expect(Bytes().firstRange(of: "") == 0..<0 && Bytes().lastRange(of: "") == 0..<0)
        #expect(Bytes().firstRange(of: "a") == nil && Bytes().lastRange(of: "a") == nil)
    }

    @Test("A search never reads beyond a slice")
    func bounds() {
        let bytes = Bytes("xx\r\n\r\nxx")[2..<5]
        #expect(bytes.firstRange(of: "\r\n\r\n") == nil && bytes.lastRange(of: "\r\n\r\n") == nil)
        #expect(bytes.firstRange(of: "x") == nil && bytes.lastRange(of: "x") == nil)
        #expect(bytes.lastRange(of: "\r") == 4..<5 && bytes.firstRange(of: "\r\n") == 2..<4)
        #expect(!bytes.hasSuffix("\r\n") && bytes.hasSuffix("\n\r"))
    }

    @Test("Bytes equal a string with the same UTF-8, and match it in a switch")
    func strings() {
        let command: Bytes = "PING"
        let text = "PING"
        #expect(command == "PING" && "PING" == command && command == text && !(command != text))
        #expect(command != "ping" && command != "PIN" && command != "PINGS" && Bytes() == "" && Bytes() != "a")
        // One character in Unicode, and different bytes.
        #expect(Bytes("\u{e9}") == "\u{e9}" && Bytes("\u{e9}") != "e\u{301}")
        switch command {
        case "QUIT": Issue.record("QUIT")
        case "PING": break
        default: Issue.record("no match")
        }
    }

    @Test("ASCII letters are compared and converted without regard to other bytes")
    func ascii() {
        let name = Bytes("xContent-Lengthx")[1...14]
        #expect(name.equalsIgnoringASCIICase("content-length") && name.equalsIgnoringASCIICase(Bytes("CONTENT-LENGTH")))
        #expect(!name.equalsIgnoringASCIICase("content-lengt") && !name.equalsIgnoringASCIICase("content_length"))
        #expect(Bytes().equalsIgnoringASCIICase("") && !Bytes("@[`{").equalsIgnoringASCIICase("`{@["))
        // U+212A, the Kelvin sign, is a K only in Unicode.
        #expect(!Bytes("\u{212a}").equalsIgnoringASCIICase("k") && !Bytes("\u{c9}").equalsIgnoringASCIICase("\u{e9}"))
        let all = Bytes(Array(0...255))
        for byte in all {
            let text = String(Character(Unicode.Scalar(byte)))
            let (lower, upper) = (Bytes([byte]).lowercasedASCII(), Bytes([byte]).uppercasedASCII())
            #expect(lower == (byte < 128 ? Bytes(text.lowercased()) : [byte]))
            #expect(upper == (byte < 128 ? Bytes(text.uppercased()) : [byte]))
            #expect(Bytes([byte]).isASCII == (byte < 128))
        }
        #expect(Bytes().isASCII && Bytes().lowercasedASCII().isEmpty && !Bytes("grün").isASCII)
    }

    @Test("Trimming removes whitespace only at both ends")
    func trimming() {
        let bytes = Bytes("x \t12 3\r\n")[1...]
        #expect(bytes.trimmingASCIIWhitespace() == "12 3" && bytes.trimmingASCIIWhitespace().startIndex == 3)
        #expect(Bytes(" \t\r\n ").trimmingASCIIWhitespace().isEmpty && Bytes().trimmingASCIIWhitespace().isEmpty)
        #expect(Bytes("\u{b}1\u{0}").trimmingASCIIWhitespace() == "\u{b}1\u{0}")
    }

    @Test("Interpolated bytes are copied unchanged, and other values as text")
    func interpolation() {
        let (path, raw) = ("/grüße", Bytes([0xff, 0, 0x80]))
        let request: Bytes = "GET \(path) \(raw[1...])\(7)\(Substring("s"))\r\n"
        #expect(Array(request) == Array("GET /grüße ".utf8) + [0, 0x80] + Array("7s\r\n".utf8))
        #expect(Bytes("\(raw)") == raw, "an explicit conversion is an interpolation of bytes too")
        let (nothing, empty): (Bytes, Bytes) = ("\(Bytes())\("")", "")
        #expect(nothing.isEmpty && empty.isEmpty)
        let long = String(repeating: "long ", count: 1000)
        let longer: Bytes = "\(long)\(Bytes(long))\(SocketAddress.loopback(port: 80))\(SocketError.Code.reset)"
        #expect(String(longer) == long + long + "127.0.0.1:80reset")
        let (plain, boxed): (Plain, any Error) = (.first, SocketError(.closed, "closed here"))
        let errors: Bytes = "\(plain) \(boxed) \(SocketError(.closed, "there"))"
        #expect(String(errors) == "\(plain) \(boxed) \(SocketError(.closed, "there"))")
    }

    /// An error without a description of its own.
    private enum Plain: Error { case first }

    @Test("A copy of an interpolation does not change the first result")
    func copiedInterpolation() {
        var first = Bytes.StringInterpolation(literalCapacity: 100, interpolationCount: 0)
        first.appendLiteral("same ")
        var second = first
        let early = Bytes(stringInterpolation: first)
        first.appendLiteral("one")
        second.appendLiteral("two")
        #expect(early == "same " && Bytes(stringInterpolation: first) == "same one")
        #expect(Bytes(stringInterpolation: second) == "same two" && Bytes(stringInterpolation: first) == "same one")
    }
}
