// SPDX-License-Identifier: MIT
import Glibc

@testable import ReactiveSockets

/// A second implementation of the PROXY protocol, which sees the whole stream at once.
enum ProxyReference {
    enum Outcome: Equatable {
        case incomplete
        case failed(ProxyProtocolError.Code)
        case header(ProxyHeader.Version, source: String?, destination: String?, fields: [[UInt8]], count: Int)
    }

    static func parse(_ stream: [UInt8], limit: Int) -> Outcome {
        let (word, signature) = (Array("PROXY ".utf8), Array("\r\n\r\n\0\r\nQUIT\n".utf8))
        if stream.isEmpty || stream.count < 6 && word.starts(with: stream) { return .incomplete }
        if stream.starts(with: word) { return line(stream) }
        if stream.count < 12 && signature.starts(with: stream) { return .incomplete }
        guard stream.starts(with: signature) else { return .failed(.missing) }
        return stream.count < 16 ? .incomplete : binary(stream, limit)
    }

    private static func line(_ stream: [UInt8]) -> Outcome {
        for index in 6..<max(6, stream.count) {
            if stream[index] == 10 {
                return stream[index - 1] == 13 ? words(stream, index + 1) : .failed(.malformed)
            }
            if stream[index - 1] == 13 { return .failed(.malformed) }
            if index >= 106 { return .failed(.tooLong) }
        }
        return .incomplete
    }

    private static func words(_ stream: [UInt8], _ count: Int) -> Outcome {
        let text = String(decoding: stream[..<(count - 2)], as: Unicode.ASCII.self)
        let words = text.components(" ")
        if words[1] == "UNKNOWN" { return .header(.v1, source: nil, destination: nil, fields: [], count: count) }
        guard ["TCP4", "TCP6"].contains(words[1]), words.count == 6 else { return .failed(.malformed) }
        let ports = words[4...5].compactMap { UInt16($0) }
        guard ports.map({ "\($0)" }) == Array(words[4...5]) else { return .failed(.malformed) }
        let hosts = words[2...3].compactMap { canonical($0, words[1] == "TCP4" ? AF_INET : AF_INET6) }
        guard hosts.count == 2 else { return .failed(.malformed) }
        let names = zip(hosts, ports).map { host, port in words[1] == "TCP4" ? "\(host):\(port)" : "[\(host)]:\(port)" }
        return .header(.v1, source: names[0], destination: names[1], fields: [], count: count)
    }

    private static func binary(_ stream: [UInt8], _ limit: Int) -> Outcome {
        let total = 16 + Int(stream[14]) * 256 + Int(stream[15])
        let (command, family) = (stream[12], Int(stream[13] / 16))
        guard command == 0x20 || command == 0x21 && family < 4 && stream[13] % 16 < 3 else {
            return .failed(.unsupported)
        }
        if total > limit { return .failed(.tooLong) }
        let block = command == 0x20 ? 0 : [0, 12, 36, 216][family]
        if total < 16 + block { return .failed(.malformed) }
        if stream.count < total { return .incomplete }
        if command == 0x20 || family == 0 {
            return .header(.v2, source: nil, destination: nil, fields: [], count: total)
        }
        var fields: [[UInt8]] = []
        var sums = 0
        var at = 16 + block
        while at < total {
            guard at + 3 <= total else { return .failed(.malformed) }
            let end = at + 3 + Int(stream[at + 1]) * 256 + Int(stream[at + 2])
            guard end <= total else { return .failed(.malformed) }
            if stream[at] == 5, end - at > 131 { return .failed(.tooLong) }
            if stream[at] == 3 {
                sums += 1
                if end - at != 7 || sums > 1 { return .failed(.malformed) }
                var zeroed = Array(stream[..<total])
                zeroed.replaceSubrange(at + 3..<end, with: [0, 0, 0, 0])
                if checksum(zeroed) != Array(stream[(at + 3)..<end]) { return .failed(.wrongChecksum) }
            }
            if stream[at] != 4 { fields.append([stream[at]] + stream[(at + 3)..<end]) }
            at = end
        }
        let size = [0, 4, 16, 108][family]
        let parts = [stream[16..<16 + size], stream[16 + size..<16 + 2 * size]]
        let names = parts.enumerated().map { index, part in
            let port = family == 3 ? 0 : 16 + 2 * size + 2 * index
            return name(Array(part), port: Int(stream[port]) * 256 + Int(stream[port + 1]))
        }
        return .header(.v2, source: names[0], destination: names[1], fields: fields, count: total)
    }

    private static func name(_ bytes: [UInt8], port: Int) -> String {
        switch bytes.count {
        case 4: return "\(bytes.map { "\($0)" }.joined(separator: ".")):\(port)"
        case 16: return "[\(text(bytes, AF_INET6))]:\(port)"
        default:
            let isAbstract = bytes.first == 0
            var kept = isAbstract ? Array(bytes.dropFirst()) : Array(bytes.prefix { $0 != 0 })
            while isAbstract, kept.last == 0 { kept.removeLast() }
            if isAbstract, kept.isEmpty { return "a socket without a name" }
            return (isAbstract ? "@" : "") + String(decoding: kept, as: UTF8.self)
        }
    }

    /// The address as the system prints it, or nil if the system does not parse the text.
    private static func canonical(_ host: String, _ family: Int32) -> String? {
        var bytes = [UInt8](repeating: 0, count: family == AF_INET ? 4 : 16)
        guard !host.contains("\0"), inet_pton(family, host, &bytes) == 1 else { return nil }
        return text(bytes, family)
    }

    private static func text(_ bytes: [UInt8], _ family: Int32) -> String {
        var text = [CChar](repeating: 0, count: 64)
        _ = inet_ntop(family, bytes, &text, 64)
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// CRC32c, bit by bit, in network byte order.
    static func checksum(_ bytes: [UInt8]) -> [UInt8] {
        var sum = UInt32.max
        for byte in bytes {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum % 2 == 1 ? sum / 2 ^ 0x82F6_3B78 : sum / 2 }
        }
        return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: ~sum >> $0) }
    }
}

extension String {
    fileprivate func components(_ separator: Character) -> [String] {
        split(separator: separator, omittingEmptySubsequences: false).map(String.init)
    }
}
