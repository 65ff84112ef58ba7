// SPDX-License-Identifier: MIT
import Glibc
import ReactiveSupport
import SchedulerConformance
import Testing

@testable import ReactiveSockets

/// Headers, valid and changed: the parser agrees with the reference on every split. `PROXY_MUTATIONS` sets the number of
/// changed headers (`make fuzz-proxy`).
@Suite struct ProxyParserTests {
    private static let count = getenv("PROXY_MUTATIONS").flatMap { Int(String(cString: $0)) } ?? 5_000
    private static let seed = getenv("PROXY_SEED").flatMap { UInt64(String(cString: $0)) } ?? 1
    private static let limit = 600

    /// Parses a stream in chunks that end at `ends`.
    private func parse(_ stream: [UInt8], _ ends: [Int] = []) -> ProxyReference.Outcome {
        var parser = ProxyHeaderParser(limit: Self.limit)
        var begin = 0
        for end in ends + [stream.count] where end > begin {
            do {
                let (header, count) = try parser.parse(Bytes(stream[begin..<end]))
                if let header { return outcome(header, begin + count) }
            } catch {
                return .failed(error.code)
            }
            begin = end
        }
        return .incomplete
    }

    private func outcome(_ header: ProxyHeader, _ count: Int) -> ProxyReference.Outcome {
        .header(
            header.version,
            source: header.source?.description,
            destination: header.destination?.description,
            fields: header.fields.map { [$0.kind.rawValue] + Array($0.value) },
            count: count
        )
    }

    private func expectAgreement(_ stream: [UInt8], _ ends: [Int] = []) -> Bool {
        let (parsed, expected) = (parse(stream, ends), ProxyReference.parse(stream, limit: Self.limit))
        #expect(parsed == expected, "\(stream) split at \(ends)")
        return parsed == expected
    }

    @Test("A valid header is parsed on every split into two and three chunks")
    func splits() throws {
        for stream in try ProxySamples.headers().map({ $0 + Array("hello".utf8) }) {
            for first in 0...stream.count {
                try #require(expectAgreement(stream, [first]))
                try #require(expectAgreement(stream, [first, (first + stream.count) / 2]))
                try #require(expectAgreement(Array(stream[..<first])))
            }
            #expect(expectAgreement(stream, Array(0..<stream.count)))
            if case .header = parse(stream) { continue }
            Issue.record("a valid header is not parsed: \(stream)")
        }
    }

    @Test("A changed header gives the same result as the reference, and none traps")
    func mutations() throws {
        let samples = try ProxySamples.headers()
        var random = SplitMix64(seed: Self.seed)
        var kinds: Set<String> = []
        for number in 0..<Self.count {
            var stream = samples[number % samples.count]
            for _ in 0...Int.random(in: 0...2, using: &random) { ProxySamples.change(&stream, &random) }
            let ends = (0..<3).map { _ in Int.random(in: 0...stream.count, using: &random) }.sorted()
            try #require(expectAgreement(stream, ends))
            switch parse(stream) {
            case .incomplete: kinds.insert("incomplete")
            case .failed(let code): kinds.insert(code.description)
            case .header: kinds.insert("header")
            }
        }
        // The changes reach every outcome of the parser.
        #expect(kinds.count == 7, "\(kinds)")
    }

    @Test(
        "Version 1 is strict",
        arguments: [
            "PROXY TCP4 1.2.3.04 5.6.7.8 1 2\r\n", "PROXY TCP4 1.2.3.4 5.6.7.8 01 2\r\n",
            "PROXY tcp4 1.2.3.4 5.6.7.8 1 2\r\n",
            "PROXY TCP4  1.2.3.4 5.6.7.8 1 2\r\n", "PROXY TCP4 1.2.3.4 5.6.7.8 1 2 \r\n",
            "PROXY TCP4 1.2.3.4 5.6.7.8 1 2\n",
            "PROXY TCP4 1.2.3.4 5.6.7.8 1 65536\r\n", "PROXY TCP4 1.2.3.4 5.6.7.8 -1 2\r\n",
            "PROXY TCP4 ::1 ::1 1 2\r\n",
            "PROXY TCP6 1.2.3.4 5.6.7.8 1 2\r\n", "PROXY TCP6 ::1%1 ::1 1 2\r\n", "PROXY TCP4 1.2.3 5.6.7.8 1 2\r\n",
            "PROXY TCP4 1.2.3.4 5.6.7.8 1\r\n", "PROXY \r\n", "PROXY UNKNOWN2\r\n",
            "PROXY TCP4 +1.2.3.4 5.6.7.8 1 2\r\n",
            "PROXY TCP4 1.2.3.4\t5.6.7.8 1 2\r\n", "PROXY TCP4 256.2.3.4 5.6.7.8 1 2\r\n",
            "PROXY TCP4 1.2.3.4 5.6.7.8 1 2\rx\n",
        ]
    )
    func strictness(_ line: String) {
        #expect(parse(Array(line.utf8)) == .failed(.malformed))
    }

    @Test("The longest line of version 1 has 107 bytes, and a longer one is rejected at byte 107")
    func longLines() {
        let start = Array("PROXY UNKNOWN ".utf8)
        let longest = start + [UInt8](repeating: 65, count: 107 - start.count - 2) + [13, 10]
        #expect(parse(longest) == .header(.v1, source: nil, destination: nil, fields: [], count: 107))
        let endless = start + [UInt8](repeating: 65, count: 107 - start.count)
        #expect(parse(endless) == .failed(.tooLong) && parse(Array(endless.dropLast())) == .incomplete)
    }

    @Test("A header that announces more than the limit is rejected at byte 16")
    func announcedSize() throws {
        var header = Array(ProxyHeader.local(.v2).encoded)
        (header[14], header[15]) = (UInt8((Self.limit - 16) / 256), UInt8((Self.limit - 16) % 256))
        #expect(parse(header) == .incomplete)
        header[15] += 1
        #expect(parse(header) == .failed(.tooLong))
        (header[14], header[15]) = (255, 255)
        #expect(parse(header) == .failed(.tooLong))
        var largest = ProxyHeaderParser(limit: ProxyHeader.limit)
        let (parsed, count) = try largest.parse(Bytes(header + [UInt8](repeating: 0, count: 65_535)))
        #expect(parsed?.isLocal == true && count == 65_551)
        // A receiver ignores the family of LOCAL.
        (header[13], header[14], header[15]) = (0xFF, 0, 0)
        var ignoring = ProxyHeaderParser(limit: ProxyHeader.limit)
        #expect(try ignoring.parse(Bytes(header)).header?.isLocal == true)
    }

    @Test("An encoded header is parsed to the same header, and its checksum is that of RFC 3720")
    func encoding() throws {
        #expect(ProxyReference.checksum(Array("123456789".utf8)) == [0xE3, 0x06, 0x92, 0x83])
        #expect(Checksum32C.of(Bytes("123456789" + "\0\0\0\0"), zeroing: 9) != 0)
        for var header in try ProxySamples.values() {
            for version in [ProxyHeader.Version.v1, .v2] {
                header.version = version
                var parser = ProxyHeaderParser(limit: ProxyHeader.limit)
                let parsed = try #require(try parser.parse(header.encoded).header)
                let hasNames = version == .v2 || header.source?.family != .unix
                #expect(parsed.source == (hasNames ? header.source : nil))
                #expect(parsed.destination == (hasNames ? header.destination : nil))
                #expect(parsed.isLocal == (version == .v2 && header.isLocal))
                let sent = version == .v2 && header.source != nil ? header.fields : []
                #expect(parsed.fields.map(\.kind) == sent.map(\.kind))
                #expect(parsed.authority == (sent.isEmpty ? nil : header.authority))
                // A header that is forwarded keeps its fields, and its checksum fits the new bytes.
                #expect(parsed.encoded == header.encoded)
            }
        }
    }

    @Test("An IPv4 address and an IPv6 address are sent as IPv6 addresses", arguments: [ProxyHeader.Version.v1, .v2])
    func mixedFamilies(_ version: ProxyHeader.Version) throws {
        let six = try SocketAddress(host: "2001:db8::1", port: 443)
        let header = ProxyHeader(version, from: .loopback(port: 5), to: six)
        var parser = ProxyHeaderParser(limit: 107)
        let parsed = try parser.parse(header.encoded).header
        let mapped = try SocketAddress(host: "::ffff:127.0.0.1", port: 5)
        #expect(parsed?.source == mapped && parsed?.destination == six)
    }

    @Test("Fields that the protocol forbids are not appended")
    func fields() throws {
        var header = ProxyHeader(.v2, from: .loopback(port: 1), to: .loopback(port: 2))
        func code(_ field: ProxyHeader.Field) -> ProxyProtocolError.Code? {
            do throws(ProxyProtocolError) { try header.append(field) } catch { return error.code }
            return nil
        }
        #expect(code(.checksum) == nil && code(.checksum) == .malformed)
        #expect(code(.init(.uniqueID, Bytes([UInt8](repeating: 1, count: 129)))) == .tooLong)
        #expect(code(.init(.checksum, "123")) == .malformed)
        #expect(code(.init(.namespace, Bytes([UInt8](repeating: 1, count: 65_536)))) == .tooLong)
        #expect(code(.init(.uniqueID, Bytes([UInt8](repeating: 1, count: 128)))) == nil)
        #expect(header.uniqueID?.count == 128 && header.fields.count == 2)
    }
}
