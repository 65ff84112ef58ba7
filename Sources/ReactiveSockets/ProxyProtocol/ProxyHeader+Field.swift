// SPDX-License-Identifier: MIT
extension ProxyHeader {
    /// Additional information of a header of version 2: a kind and bytes.
    public struct Field: Sendable, Hashable {
        /// The kinds of fields. The protocol leaves 0xE0 to 0xEF to applications, and 0xF0 to 0xF7 to experiments.
        public struct Kind: RawRepresentable, Sendable, Hashable {
            /// The number on the wire.
            public let rawValue: UInt8

            /// Creates a kind from its number.
            public init(rawValue: UInt8) { self.rawValue = rawValue }

            /// The application protocol that was negotiated (ALPN).
            public static let applicationProtocol = Kind(rawValue: 0x01)
            /// The host name that the client has requested, as UTF-8.
            public static let authority = Kind(rawValue: 0x02)
            /// The checksum of the header, CRC32c. The server has checked it.
            public static let checksum = Kind(rawValue: 0x03)
            /// Padding.
            static let padding = Kind(rawValue: 0x04)
            /// An identifier of the connection, at most 128 bytes.
            public static let uniqueID = Kind(rawValue: 0x05)
            /// How the client uses TLS, as the encoded structure `pp2_tlv_ssl`.
            public static let tls = Kind(rawValue: 0x20)
            /// The name of the proxy's network namespace.
            public static let namespace = Kind(rawValue: 0x30)
        }

        /// The kind.
        public let kind: Kind
        /// The bytes, at most 65,535 with the other fields.
        public let value: Bytes

        /// Creates a field.
        public init(_ kind: Kind, _ value: Bytes) {
            self.kind = kind
            self.value = value
        }

        /// A checksum that is computed when the header is sent.
        public static var checksum: Field { Field(.checksum, [0, 0, 0, 0]) }
    }
}

extension ProxyHeader.Field {
    private static let headCount = 3
    private static let uniqueIDLimit = 128

    /// The first field, and the bytes after it. `nil` if the bytes do not begin with a complete field.
    static func first(of bytes: Bytes) -> (field: ProxyHeader.Field, rest: Bytes)? {
        guard let kind = bytes.first,
            let announced = bytes.integer(at: bytes.startIndex + 1, as: UInt16.self),
            let count = WireInteger(announced).value(in: 0...max(0, bytes.count - headCount)),
            bytes.count >= headCount
        else { return nil }
        let value = bytes.dropFirst(headCount).prefix(count)
        let rest = bytes.dropFirst(headCount + count)
        return (ProxyHeader.Field(Kind(rawValue: kind), value), rest)
    }

    /// All fields in order, up to an incomplete one.
    static func all(in bytes: Bytes) -> [ProxyHeader.Field] {
        var (fields, rest): ([ProxyHeader.Field], Bytes) = ([], bytes)
        while let (field, next) = first(of: rest) {
            fields.append(field)
            rest = next
        }
        return fields
    }

    /// The field on the wire. The caller has checked ``error``.
    var encoded: Bytes {
        Bytes(joining: [[kind.rawValue], Bytes(UInt16(clamping: value.count)), value])
    }

    /// What is wrong with the value, or `nil`.
    var error: ProxyProtocolError? {
        if kind == .checksum, value.count != 4 {
            return ProxyProtocolError(
                .malformed,
                "the checksum of a PROXY header has \(value.count) bytes instead of 4"
            )
        }
        if kind == .uniqueID, value.count > Self.uniqueIDLimit {
            return ProxyProtocolError(
                .tooLong,
                "the unique ID of a PROXY header has \(value.count) bytes, and \(Self.uniqueIDLimit) are allowed"
            )
        }
        return nil
    }
}

extension ProxyProtocolError {
    static var secondChecksum: ProxyProtocolError {
        ProxyProtocolError(.malformed, "the PROXY header has two checksums, and one is allowed")
    }
}
