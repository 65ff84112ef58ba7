// SPDX-License-Identifier: MIT
/// The text of version 1: `PROXY TCP4 192.0.2.1 198.51.100.7 56324 443` and CRLF.
enum ProxyLine {
    /// The maximum number of bytes, with CRLF.
    static let limit = 107

    /// Parses a line without its CRLF.
    static func header(_ line: [UInt8]) throws(ProxyProtocolError) -> ProxyHeader {
        let words = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        let family = words.count > 1 ? String(decoding: words[1], as: UTF8.self) : ""
        switch family {
        case "UNKNOWN":
            // The protocol requires that a receiver ignores the rest of the line.
            return ProxyHeader(.v1, isLocal: false, nil, fieldBytes: Bytes())
        case "TCP4", "TCP6": break
        default: throw malformed("the family is neither TCP4 nor TCP6 nor UNKNOWN")
        }
        guard words.count == 6 else {
            throw malformed("two addresses and two ports must follow the family, each after one space")
        }
        let version: SocketAddress.Family = family == "TCP4" ? .ipv4 : .ipv6
        guard let source = address(words[2], version), let destination = address(words[3], version) else {
            throw malformed("an address is not an address of \(family)")
        }
        guard let port = number(ofPort: words[4]), let other = number(ofPort: words[5]) else {
            throw malformed("a port is not a number from 0 to 65535 without leading zeros")
        }
        let addresses = (source.with(port: port), destination.with(port: other))
        return ProxyHeader(.v1, isLocal: false, addresses, fieldBytes: Bytes())
    }

    /// The line of a header, with CRLF.
    static func text(_ header: ProxyHeader) -> Bytes {
        guard let source = header.source, let destination = header.destination, source.family != .unix else {
            return "PROXY UNKNOWN\r\n"
        }
        let pair = [source, destination]
        let isFour = pair.allSatisfy { $0.family == .ipv4 }
        let hosts = pair.map { address in
            let host = SocketAddress(family: address.family, bytes: address.bytes).host
            return isFour || address.family == .ipv6 ? host : "::ffff:\(host)"
        }
        let ports = pair.map { "\($0.port)" }
        return Bytes("PROXY \(isFour ? "TCP4" : "TCP6") \((hosts + ports).joined(separator: " "))\r\n")
    }

    private static func address(_ text: ArraySlice<UInt8>, _ family: SocketAddress.Family) -> SocketAddress? {
        // The system's function would also read an interface after `%`.
        if text.contains(UInt8(ascii: "%")) { return nil }
        guard let parsed = AddressText.parse(String(decoding: text, as: UTF8.self)) else { return nil }
        return parsed.family == family ? parsed : nil
    }

    /// A decimal number without a sign and without leading zeros.
    private static func number(ofPort text: ArraySlice<UInt8>) -> UInt16? {
        guard let first = text.first, first != UInt8(ascii: "-"), text.count == 1 || first != UInt8(ascii: "0") else {
            return nil
        }
        return WireInteger(decimal: text)?.value(in: 0...65_535).flatMap { UInt16(exactly: $0) }
    }

    private static func malformed(_ reason: String) -> ProxyProtocolError {
        ProxyProtocolError(.malformed, "the PROXY line is malformed: \(reason)")
    }
}
