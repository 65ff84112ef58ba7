// SPDX-License-Identifier: MIT
import LoopTestSupport
import ReactiveCore
import ReactiveSignals
import ReactiveSupport
import SchedulerConformance
import Testing

@testable import ReactiveSockets

@Suite struct CuttingTests {
    @Test("Every split of a short stream into up to four chunks gives the same frames", arguments: FramingCase.allCases)
    func allSplits(_ framing: FramingCase) {
        var random = SplitMix64(seed: 7)
        for round in 0..<max(2, Platform.rounds(8)) {
            var input = framing.stream(3, longest: 3, &random)
            // Half of the streams end inside a frame.
            if round % 2 == 1 { input += framing.stream(1, longest: 3, &random).dropLast() }
            input = Array(input.prefix(20))
            let expected = framing.expected(input, limit: 100)
            for first in 0...input.count {
                for second in 0...(input.count - first) {
                    for third in 0...(input.count - first - second) {
                        let result = cut(input, by: framing.framing, limit: 100, at: [first, second, third])
                        guard result == expected else {
                            Issue.record("\(input) at \(first) \(second) \(third): \(result), not \(expected)")
                            return
                        }
                    }
                }
            }
        }
    }

    @Test("A long stream gives the same frames in random chunks and byte by byte", arguments: FramingCase.allCases)
    func longStreams(_ framing: FramingCase) {
        var random = SplitMix64(seed: 11)
        // The reference for a closure that decides at every byte is slow.
        let isShort = framing == .prefix1 || framing == .trailer
        for longest in framing == .lookahead ? [5, 50] : [5, 100, isShort ? 255 : 3000] {
            let input = framing.stream(Platform.rounds(30), longest: longest, &random)
            let expected = framing.expected(input, limit: 10_000)
            #expect(framing == .lookahead || expected.code == nil || input.isEmpty)
            for most in [1, 2, 7, 300, 5000] {
                let sizes = (0..<input.count).map { _ in Int.random(in: 1...most, using: &random) }
                let result = cut(input, by: framing.framing, limit: 10_000, at: sizes)
                #expect(result == expected, "longest \(longest), pieces of at most \(most)")
            }
        }
    }

    @Test(
        "A frame at the limit is sent and one beyond it fails, wherever the stream is split",
        arguments: FramingCase.allCases
    )
    func limits(_ framing: FramingCase) {
        var random = SplitMix64(seed: 13)
        for limit in [0, 1, 2, 5, 9] {
            for _ in 0..<Platform.rounds(30) {
                let input = framing.stream(4, longest: limit + 2, &random)
                let expected = framing.expected(input, limit: limit)
                for most in [1, 3, 50] {
                    let sizes = (0..<input.count).map { _ in Int.random(in: 1...most, using: &random) }
                    let result = cut(input, by: framing.framing, limit: limit, at: sizes)
                    #expect(result == expected, "limit \(limit) \(input) \(sizes.prefix(20))")
                }
            }
        }
    }

    @Test("A hundred thousand malformed streams neither crash nor exceed the limit")
    func fuzz() {
        var random = SplitMix64(seed: 17)
        let alphabet: [UInt8] = [0, 1, 2, 10, 13, 48, 49, 53, 58, 97, 97, 98, 255]
        for round in 0..<Platform.rounds(100_000) {
            let framing = FramingCase.allCases[round % FramingCase.allCases.count]
            let limit = Int.random(in: 0...12, using: &random)
            var cutter = FrameCutter(framing.framing, limit: limit)
            let length = Int.random(in: 0...16, using: &random)
            let input = (0..<length).map { _ in alphabet.randomElement(using: &random) ?? 0 }
            var result = Cut()
            var start = 0
            do throws(SocketError) {
                while start < input.count {
                    let end = min(input.count, start + Int.random(in: 1...9, using: &random))
                    cutter.add(Bytes(input[start..<end]))
                    while let frame = try cutter.next() { result.frames.append(Array(frame)) }
                    start = end
                }
                if let last = try cutter.end() { result.frames.append(Array(last)) }
            } catch {
                result.code = error.code
            }
            let expected = round / FramingCase.allCases.count % 10 == 0 ? framing.expected(input, limit: limit) : result
            guard result == expected, result.frames.allSatisfy({ $0.count <= limit }) else {
                Issue.record("\(framing), limit \(limit), \(input): \(result), not \(expected)")
                return
            }
        }
    }

    @Test("A frame beyond the limit fails as soon as its prefix or first excess byte arrives")
    func early() {
        func fails(_ input: Bytes, _ framing: Framing) -> Bool {
            let chunks = Subject<Bytes, SocketError>()
            let log = chunks.signal.framed(by: framing, limit: 10).log()
            chunks.send(input)
            return log.code == .frameTooLong
        }
        #expect(fails([0, 0, 0, 11], .lengthPrefix(bytes: 4)))
        #expect(!fails([0, 0, 0, 10], .lengthPrefix(bytes: 4)))
        #expect(fails([255, 255, 255, 255, 255, 255, 255, 255], .lengthPrefix(bytes: 8)))
        #expect(fails([127, 255, 255, 255, 255, 255, 255, 255], .lengthPrefix(bytes: 8)))
        #expect(fails("12345678901", .newline) && !fails("1234567890", .newline))
        #expect(!fails("1234567890\r", .newline) && fails("1234567890\r\r", .newline))
        #expect(!fails("1234567890a", .delimiter("ab")) && fails("1234567890b", .delimiter("ab")))
        #expect(fails("11:", FramingCase.digits) && !fails("7:", FramingCase.digits))
        #expect(fails("aaaaaaaaaaa", FramingCase.runs))
    }

    @Test("A frame within a chunk shares its memory, one across chunks is copied, and its rest retains no chunk")
    func memory() {
        var cutter = FrameCutter(.newline, limit: 1 << 20)
        let chunk = Bytes("one\ntwo\nthr" + String(repeating: " ", count: 1000))
        cutter.add(chunk)
        let frames = [try? cutter.next(), try? cutter.next()]
        #expect(frames.compactMap { $0?.slab }.allSatisfy { $0 === chunk.slab } && frames.count == 2)
        #expect((try? cutter.next()) == .some(nil) && cutter.needsChunk)
        cutter.add(Bytes("ee\n" + String(repeating: "y", count: 60_000)))
        let third = try? cutter.next()
        #expect(third.map { String($0).hasPrefix("thr ") && $0.count == 1005 } == true)
        #expect((third?.slab?.capacity ?? .max) <= 2 * 1005)
    }

    @Test("An encoded payload is decoded to the same payload")
    func encoding() throws {
        for framing in FramingCase.allCases where framing != .closure && framing != .lookahead {
            for payload in ["", "one", "bbb"] as [Bytes] {
                let stream = try framing.framing.encode(payload)
                #expect(cut(Array(stream), by: framing.framing, at: [2]) == Cut(frames: [Array(payload)]), "\(framing)")
            }
        }
        #expect(try Framing.newline.encode("a") == "a\n")
        #expect(try Framing.lengthPrefix(bytes: 2, .littleEndian).encode("ab") == [2, 0, 97, 98])
        #expect(try Framing.lengthPrefix(bytes: 2, includesItself: true).encode("ab") == [0, 4, 97, 98])
        let doubled = Framing(encode: { (payload) throws(SocketError) in Bytes(joining: [payload, payload]) }) { _ in
            .incomplete
        }
        #expect(try doubled.encode("ab") == "abab")
    }

    @Test("A payload that cannot be framed is refused")
    func unencodable() {
        func code(_ framing: Framing, _ payload: Bytes) -> SocketError.Code? {
            do throws(SocketError) {
                _ = try framing.encode(payload)
                return nil
            } catch {
                return error.code
            }
        }
        #expect(code(.newline, "a\nb") == .malformed)
        #expect(code(.newline, "a\r") == .malformed)
        #expect(code(.delimiter("aa"), "ba") == .malformed)
        #expect(code(.lengthPrefix(bytes: 1), Bytes(noise(255))) == nil)
        #expect(code(.lengthPrefix(bytes: 1), Bytes(noise(256))) == .frameTooLong)
        #expect(code(.lengthPrefix(bytes: 1, includesItself: true), Bytes(noise(255))) == .frameTooLong)
    }

    @Test("Integers are read in both byte orders, up to the end of the bytes")
    func integers() {
        let bytes = Bytes([0, 1, 2, 3, 4, 255, 254])[1..<7]
        #expect(bytes.integer(at: 1, as: UInt16.self) == 0x0102)
        #expect(bytes.integer(at: 1, as: UInt32.self, .littleEndian) == 0x0403_0201)
        #expect(bytes.integer(at: 5, as: Int16.self) == -2)
        #expect(bytes.integer(at: 6, as: UInt8.self) == 254)
        #expect(bytes.integer(at: 6, as: UInt16.self) == nil && bytes.integer(at: 0, as: UInt8.self) == nil)
        #expect(bytes.integer(at: 7, as: UInt8.self) == nil && bytes.integer(at: -1, as: UInt64.self) == nil)
        #expect(Bytes(UInt32(0x0102_0304)) == [1, 2, 3, 4])
        #expect(Bytes(Int16(-2), .littleEndian) == [254, 255])
        #expect(Bytes(UInt64.max).integer(at: 0, as: UInt64.self) == .max)
    }
}
