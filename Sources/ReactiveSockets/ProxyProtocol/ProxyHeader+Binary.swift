// SPDX-License-Identifier: MIT
/// Version 2 on the wire.
extension ProxyHeader {
    static let signature: [UInt8] = [0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A]
    /// The bytes before the addresses.
    static let headCount = 16

    /// The header on the wire, in its version.
    var encoded: Bytes {
        if version == .v1 { return ProxyLine.text(self) }
        var (family, block) = (ProxyFamily.unspecified, [UInt8]())
        if let source, let destination { (family, block) = ProxyFamily.encoded(source, destination) }
        // Without addresses, a receiver ignores the fields.
        let body = Bytes(joining: [Bytes(block), family == .unspecified ? Bytes() : fieldBytes])
        // The second half of the byte says that the client uses a stream.
        let kinds: [UInt8] = [isLocal ? 0x20 : 0x21, family == .unspecified ? 0 : family.rawValue << 4 | 1]
        let head = Bytes(joining: [Bytes(Self.signature + kinds), Bytes(UInt16(clamping: body.count)), body])
        guard let position = Self.checksumPosition(in: head, after: block.count) else { return head }
        let sum = Bytes(Checksum32C.of(head, zeroing: position))
        return Bytes(joining: [head[..<position], sum, head[(position + 4)...]])
    }

    /// The command and the family of the first 16 bytes.
    ///
    /// - Throws: `unsupported` if the protocol does not define them.
    static func kinds(_ command: UInt8, _ family: UInt8) throws(ProxyProtocolError) -> (Bool, ProxyFamily) {
        guard command >> 4 == 2 else {
            throw unsupported("version \(command >> 4)", "1 and 2")
        }
        guard command & 0x0F <= 1 else {
            throw unsupported("command \(command & 0x0F)", "0 (LOCAL) and 1 (PROXY)")
        }
        // The protocol requires that a receiver ignores the family of LOCAL.
        if command & 0x0F == 0 { return (true, .unspecified) }
        guard let known = ProxyFamily(rawValue: family >> 4), family & 0x0F <= 2 else {
            throw unsupported("family \(family >> 4) and transport \(family & 0x0F)", "0 to 3 and 0 to 2")
        }
        return (false, known)
    }

    private static func unsupported(_ found: String, _ allowed: String) -> ProxyProtocolError {
        ProxyProtocolError(.unsupported, "the PROXY header has \(found), and \(allowed) are allowed")
    }

    /// Parses a complete header.
    static func parse(_ bytes: Bytes, isLocal: Bool, _ family: ProxyFamily) throws(ProxyProtocolError) -> ProxyHeader {
        // The protocol requires that a receiver ignores the rest of such a header.
        if isLocal { return .local(.v2) }
        let block = bytes.dropFirst(headCount)
        guard let addresses = family.addresses(in: block) else {
            return ProxyHeader(.v2, from: nil, to: nil)
        }
        let all = block.dropFirst(family.blockCount)
        var rest = all
        var hasChecksum = false
        while !rest.isEmpty {
            guard let (field, next) = Field.first(of: rest) else {
                throw ProxyProtocolError(.malformed, "a field of the PROXY header extends beyond the end of the header")
            }
            if let error = field.error { throw error }
            if field.kind == .checksum {
                if hasChecksum { throw .secondChecksum }
                hasChecksum = true
                let position = field.value.startIndex
                guard field.value == Bytes(Checksum32C.of(bytes, zeroing: position)) else {
                    throw ProxyProtocolError(.wrongChecksum, "the checksum of the PROXY header is wrong")
                }
            }
            rest = next
        }
        // A copy, so that the connection does not keep the whole header.
        return ProxyHeader(.v2, isLocal: false, addresses, fieldBytes: all.isEmpty ? Bytes() : Bytes(Array(all)))
    }

    private static func checksumPosition(in header: Bytes, after blockCount: Int) -> Int? {
        let fields = Field.all(in: header.dropFirst(headCount + blockCount))
        return fields.first { field in field.kind == .checksum }?.value.startIndex
    }
}
