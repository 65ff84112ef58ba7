// SPDX-License-Identifier: MIT
@testable import KeyValueService

/// A reference parser of requests, which sees the whole stream and is as simple as possible.
struct RequestReference {
    private let stream: [UInt8]
    private let limits: RequestLimits
    private var position = 0

    /// An error of the stream, with the text that the client receives.
    private struct Fault: Error {
        let text: String
    }

    init(_ stream: [UInt8], _ limits: RequestLimits) {
        self.stream = stream
        self.limits = limits
    }

    /// Returns all requests, and the error that ends them.
    mutating func read() -> Requests {
        var found = Requests()
        do throws(Fault) {
            while position < stream.count {
                guard let request = try stream[position] == 42 ? array() : typed() else { break }
                if !request.isEmpty { found.requests.append(request) }
            }
        } catch {
            found.error = error.text
        }
        return found
    }

    /// The bytes before `end`, from the position on. `nil` if `end` has not arrived. Moves the position behind `end`.
    private mutating func line(until end: UInt8, tooLong: Fault, limit: Int) throws(Fault) -> [UInt8]? {
        let text = stream[position...].prefix { $0 != end }
        if text.count > limit { throw tooLong }
        guard text.endIndex < stream.count else { return nil }
        position = text.endIndex + 1
        return Array(text)
    }

    /// The number after a one-byte prefix. Any byte after the carriage return counts as the line feed.
    private mutating func number(_ kind: String, _ name: String) throws(Fault) -> Int? {
        let tooLong = Fault(text: "too big \(name) count string")
        guard let line = try line(until: 13, tooLong: tooLong, limit: limits.line), position < stream.count else {
            return nil
        }
        position += 1
        let digits = String(decoding: line.dropFirst(), as: UTF8.self)
        guard let number = Int(digits), "\(number)" == digits else { throw Fault(text: "invalid \(kind) length") }
        return number
    }

    private mutating func array() throws(Fault) -> [[UInt8]]? {
        let begin = position
        guard let count = try number("multibulk", "mbulk") else { return nil }
        if count > limits.arguments { throw Fault(text: "invalid multibulk length") }
        var words: [[UInt8]] = []
        while words.count < count {
            guard position < stream.count else { return nil }
            let sign = stream[position]
            if sign != 36 {
                let byte = String(decoding: [[10, 13].contains(sign) ? 32 : sign], as: UTF8.self)
                throw Fault(text: "expected '$', got '\(byte)'")
            }
            guard let length = try number("bulk", "bulk") else { return nil }
            // The limit applies to the whole request, including the lines in between.
            if length < 0 || length > limits.bytes - (position - begin) { throw Fault(text: "invalid bulk length") }
            guard stream.count - position >= length + 2 else { return nil }
            words.append(Array(stream[position..<position + length]))
            position += length + 2
        }
        return words
    }

    private mutating func typed() throws(Fault) -> [[UInt8]]? {
        let tooLong = Fault(text: "too big inline request")
        guard var text = try line(until: 10, tooLong: tooLong, limit: min(limits.line, limits.bytes)) else {
            return nil
        }
        if text.last == 13 { text.removeLast() }
        var words: [[UInt8]] = []
        var rest = text[...]
        while let first = rest.firstIndex(where: { !Self.isBlank($0) }) {
            rest = rest[first...]
            words.append(try Self.word(&rest))
        }
        if words.count > limits.arguments { throw tooLong }
        return words
    }

    private static func isBlank(_ byte: UInt8) -> Bool { [9, 10, 11, 12, 13, 32].contains(byte) }

    /// Removes and returns the next word.
    private static func word(_ rest: inout ArraySlice<UInt8>) throws(Fault) -> [UInt8] {
        let plain = rest.prefix { !isBlank($0) && $0 != 34 && $0 != 39 }
        rest = rest[plain.endIndex...]
        var word = Array(plain)
        guard let quote = rest.first, !isBlank(quote) else { return word }
        rest.removeFirst()
        while let byte = rest.popFirst() {
            if byte == quote {
                if let next = rest.first, !isBlank(next) { break }
                return word
            }
            guard byte == 92, let next = rest.first, quote == 34 || next == 39 else {
                word.append(byte)
                continue
            }
            rest.removeFirst()
            let digits = rest.prefix(2)
            if quote == 34, next == 0x78, digits.count == 2, digits.allSatisfy({ Character(.init($0)).isHexDigit }) {
                word.append(UInt8(String(decoding: digits, as: UTF8.self), radix: 16) ?? 0)
                rest.removeFirst(2)
            } else {
                let meanings: [UInt8: UInt8] = quote == 34 ? [0x6E: 10, 0x72: 13, 0x74: 9, 0x62: 8, 0x61: 7] : [:]
                word.append(meanings[next] ?? next)
            }
        }
        throw Fault(text: "unbalanced quotes in request")
    }
}
