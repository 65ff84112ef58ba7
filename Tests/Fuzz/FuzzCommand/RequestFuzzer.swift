// SPDX-License-Identifier: MIT
import FuzzSupport
import ReactiveSockets
import ReactiveSupport
import SchedulerConformance

@testable import KeyValueService

/// Compares requests of the Redis protocol, split at random, with a parser that sees the whole stream.
///
/// The first three bytes of an input select the limits of a request: its bytes, words and lines. The rest is the
/// stream.
enum RequestFuzzer {
    static let fuzzer = Fuzzer("resp-requests", oneIn: 4, make: make, check: check)

    private static let spoiler = Spoiler(delimiters: [
        "\r\n", "\r", "\n", "*", "$", "*0\r\n", "*-1\r\n", "$-1\r\n", "$0\r\n\r\n", "\"", "'", "\\", "\\x4", " ",
        "\u{0}",
    ])

    private static func make(_ random: inout SplitMix64) -> [UInt8] {
        let header = (0..<3).map { _ in UInt8(random.oneIn(2) ? 255 : random.number(in: 0..<256)) }
        let limits = limits(header)
        var stream: [UInt8] = []
        for _ in 0..<random.number(in: 0..<5) {
            let words = (0..<random.number(in: 1..<6)).map { _ in word(&random, limits) }
            stream += random.oneIn(3) ? line(words, &random) : array(words)
        }
        if random.oneIn(16) { stream += [UInt8](repeating: 42, count: 1) + random.bytes(limits.line + 2) }
        spoiler.spoil(&stream, &random)
        return header + stream
    }

    static func limits(_ header: [UInt8]) -> RequestLimits {
        RequestLimits(bytes: 32 + Int(header[0]), arguments: 1 + Int(header[1]) / 32, line: 16 + Int(header[2]) / 2)
    }

    private static func word(_ random: inout SplitMix64, _ limits: RequestLimits) -> [UInt8] {
        switch random.number(in: 0..<8) {
        case 0: random.bytes(max(0, limits.bytes - random.number(in: 0..<40)))
        case 1: random.bytes(max(0, limits.line + random.number(in: 0..<8) - 4))
        case 2: []
        case 3: Array(random.pick(Spoiler.extremes).utf8)
        case 4: Array(random.pick(["GET", "a b", "it's", "\"x\"", "\\", "\\x41", "\r\n", "*1", "$3\r\n"]).utf8)
        default: random.bytes(random.number(in: 0..<20))
        }
    }

    private static func array(_ words: [[UInt8]]) -> [UInt8] {
        Array("*\(words.count)\r\n".utf8) + words.flatMap { Array("$\($0.count)\r\n".utf8) + $0 + [13, 10] }
    }

    /// An inline request, with each word in single or double quotes or unquoted.
    private static func line(_ words: [[UInt8]], _ random: inout SplitMix64) -> [UInt8] {
        var text: [UInt8] = []
        for word in words {
            switch random.number(in: 0..<3) {
            case 0: text += word
            case 1: text += [39] + word.flatMap { $0 == 39 ? [92, 39] : [$0] } + [39]
            default: text += [34] + word.flatMap { [10, 13, 34, 92].contains($0) ? [92, $0] : [$0] } + [34]
            }
            text += Array(random.pick([" ", "  ", "\t"]).utf8)
        }
        return text + Array(random.pick(["\r\n", "\n"]).utf8)
    }

    private static func check(_ input: [UInt8], _ random: inout SplitMix64) -> String? {
        guard input.count >= 3 else { return nil }
        let (limits, stream) = (limits(input), Array(input.dropFirst(3)))
        var reference = RequestReference(stream, limits)
        let expected = reference.read()
        var cuts = [[], Array(0...stream.count)]
        if stream.count <= 64 { cuts += (0...stream.count).map { [$0] } }
        if stream.count > 64 { cuts += (0..<4).map { _ in random.cuts(of: stream.count) } }
        for places in cuts {
            var parser = RequestParser(limits)
            var found = Requests()
            for chunk in stream.chunks(cutAt: places) {
                found.add(parser.read(Bytes(chunk)))
                let most = max(limits.bytes, limits.line) + limits.line + chunk.count + 2
                if parser.heldCount > most { return "\(parser.heldCount) bytes are kept, \(limits) allow \(most)" }
            }
            if found != expected { return "cut at \(places): \(found), the reference says \(expected)" }
        }
        return nil
    }
}

/// The result of parsing a stream.
struct Requests: Equatable, CustomStringConvertible {
    var requests: [[[UInt8]]] = []
    var error: String?

    var description: String {
        let texts = requests.map { $0.map { String(decoding: $0, as: UTF8.self) } }
        return "\(texts) \(error.map { "then \($0)" } ?? "")"
    }

    mutating func add(_ batch: Batch) {
        var first = 0
        for extent in batch.extents {
            requests.append((first..<extent.end).map { Array(batch[$0]) })
            // The command name is looked up in the received bytes, which no other check covers.
            if extent.name != CommandName(Bytes(requests[requests.count - 1][0])) { error = "another command's name" }
            first = extent.end
        }
        if let found = batch.error { error = String(found.text) }
    }
}
