// SPDX-License-Identifier: MIT
import ReactiveSupport
import SchedulerConformance

@testable import ReactiveSockets

/// Valid headers of every kind, and changes of them.
enum ProxySamples {
    /// Headers with every family of addresses and every known field.
    static func values() throws -> [ProxyHeader] {
        let four = (SocketAddress.loopback(port: 56_324), try SocketAddress(host: "198.51.100.7", port: 443))
        let six = (try SocketAddress(host: "2001:db8::7", port: 1), try SocketAddress(host: "::1", port: 65_535))
        let path = (try SocketAddress.unix(path: "/run/echo.sock"), try SocketAddress.abstract("name"))
        let unnamed = (
            SocketAddress(family: .unix, bytes: []), try SocketAddress.unix(path: String(repeating: "p", count: 107))
        )
        var values = [ProxyHeader.local(.v2), ProxyHeader(.v2, from: nil, to: nil)]
        for (source, destination) in [four, six, path, unnamed] {
            var header = ProxyHeader(.v2, from: source, to: destination)
            values.append(header)
            try header.append(.init(.applicationProtocol, "h2"))
            try header.append(.init(.authority, "example.com"))
            values.append(header)
            try header.append(.checksum)
            try header.append(.init(.padding, [0, 0, 0]))
            try header.append(.init(.uniqueID, "1234"))
            try header.append(.init(.tls, [1, 0, 0, 0, 0, 0x21, 0, 3, 84, 76, 83]))
            try header.append(.init(.init(rawValue: 0xEA), []))
            values.append(header)
        }
        return values
    }

    /// The same on the wire, in both versions.
    static func headers() throws -> [[UInt8]] {
        var lines = [
            "PROXY UNKNOWN\r\n", "PROXY UNKNOWN ffff::ffff anything\r\n", "PROXY TCP6 ::FFFF:1.2.3.4 a::B 0 1\r\n",
        ]
        lines.append("PROXY TCP4 255.255.255.255 0.0.0.0 65535 0\r\n")
        let values = try values()
        return lines.map { Array($0.utf8) }
            + values.flatMap { value in
                var line = value
                line.version = .v1
                return [Array(line.encoded), Array(value.encoded)]
            }
    }

    /// Changes a stream in one place. Half of the changes touch the first 20 bytes, which contain most decisions.
    static func change(_ stream: inout [UInt8], _ random: inout SplitMix64) {
        guard !stream.isEmpty else { return stream.append(13) }
        let reach = Bool.random(using: &random) ? min(20, stream.count) : stream.count
        let index = Int.random(in: 0..<reach, using: &random)
        switch Int.random(in: 0..<9, using: &random) {
        case 0: stream[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 1: stream[index] = [0, 1, 10, 13, 32, 48, 58, 127, 255].randomElement(using: &random)!
        case 2: stream.removeSubrange(index...)
        case 3: stream.remove(at: index)
        case 4: stream.insert(stream[index], at: index)
        case 5: stream.insert(UInt8.random(in: 0...255, using: &random), at: index)
        case 6: stream[index] = stream[index] &+ 1
        case 7: stream += stream[index...]
        default:
            // The announced length, a little or much too large or small.
            guard stream.count >= 16 else { return }
            stream[15] = stream[15] &+ UInt8.random(in: 0...255, using: &random)
            if Bool.random(using: &random) { stream[14] = [0, 1, 2, 255].randomElement(using: &random)! }
        }
    }
}
