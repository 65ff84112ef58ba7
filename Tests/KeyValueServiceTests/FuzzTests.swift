// SPDX-License-Identifier: MIT
import ReactiveSockets
import Testing

@testable import KeyValueService

/// 100,000 corrupted inputs: no crash, no hang, bounded memory, and the same result however an input is split.
@Suite struct FuzzTests {
    private static let limits = RequestLimits(bytes: 4096, arguments: 64, line: 1024)
    private static let inputs = 100_000

    @Test("Corrupted requests give the same result however they are split, within the limits", arguments: 0..<4)
    func spoiled(_ part: Int) {
        var random = Seeded(UInt64(part) + 1)
        var (broken, complete) = (0, 0)
        for _ in 0..<Self.inputs / 4 {
            let input = Self.spoiled(&random)
            let offsets = (0..<3).map { _ in Int.random(in: 0...input.count, using: &random) }
            let whole = Reading([input], Self.limits)
            var parser = RequestParser(Self.limits)
            var pieces = Reading()
            for chunk in input.cut(at: offsets) {
                pieces.add(parser.read(chunk))
                #expect(parser.heldCount <= Self.limits.bytes + Self.limits.line + chunk.count)
            }
            #expect(whole == pieces, "\(Array(input)) cut at \(offsets)")
            if whole.error != nil { broken += 1 }
            complete += whole.requests.count
        }
        // Check that the generator creates both valid and malformed requests.
        #expect(broken > Self.inputs / 100 && complete > Self.inputs / 100)
    }

    /// Returns some requests with a few bytes changed, removed, inserted or repeated.
    private static func spoiled(_ random: inout Seeded) -> Bytes {
        let names: [Bytes] = ["GET", "SET", "MGET", "PING", "subscribe", "*1", "$3"]
        var input: [UInt8] = []
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            var words = [names.randomElement(using: &random) ?? "GET"]
            for _ in 0..<Int.random(in: 0...4, using: &random) {
                words.append(
                    Bytes(
                        (0..<Int.random(in: 0...12, using: &random)).map { _ in
                            UInt8.random(in: 0...255, using: &random)
                        }
                    )
                )
            }
            let isLine = Int.random(in: 0..<5, using: &random) == 0
            input +=
                isLine
                ? Array(Bytes(joining: Array(words.map { [$0, " "] }.joined()) + ["\r\n"])) : Array(array(words))
        }
        let telling = Array("*$\r\n -0123456789\"'\\x".utf8)
        for _ in 0..<Int.random(in: 0...3, using: &random) where !input.isEmpty {
            let place = Int.random(in: 0..<input.count, using: &random)
            switch Int.random(in: 0..<5, using: &random) {
            case 0: input[place] = UInt8.random(in: 0...255, using: &random)
            case 1: input[place] = telling.randomElement(using: &random) ?? 0
            case 2: input.remove(at: place)
            case 3: input.insert(telling.randomElement(using: &random) ?? 0, at: place)
            default: input.insert(contentsOf: input[place..<min(input.count, place + 20)], at: place)
            }
        }
        return Bytes(input)
    }
}
