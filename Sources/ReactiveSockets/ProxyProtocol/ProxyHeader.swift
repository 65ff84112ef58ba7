// SPDX-License-Identifier: MIT
/// A header of the PROXY protocol, with which a proxy names the client of a connection.
///
/// A server reads it from ``ConnectionProxy/header``. A client sends it with ``ConnectSettings/proxyHeader``.
public struct ProxyHeader: Sendable, Hashable {
    /// The versions of the protocol. Version 1 is a line of text. Version 2 is binary, and has fields.
    public enum Version: Sendable, Hashable { case v1, v2 }

    /// The maximum size of a header of version 2: 16 bytes, and as many as a 16-bit length can announce.
    static let limit = 16 + bodyLimit
    static let bodyLimit = 65_535

    /// The version.
    public var version: Version
    /// Whether the proxy itself is the client, for example for a health check (`LOCAL`). Such a header has no addresses.
    public let isLocal: Bool
    /// The address of the client. `nil` means that the proxy does not know it, or ``isLocal``.
    public let source: SocketAddress?
    /// The address to which the client has connected. `nil` means the same as for ``source``.
    public let destination: SocketAddress?
    /// The encoded fields. They have been checked.
    private(set) var fieldBytes: Bytes

    init(
        _ version: Version,
        isLocal: Bool,
        _ addresses: (source: SocketAddress, destination: SocketAddress)?,
        fieldBytes: Bytes
    ) {
        self.version = version
        self.isLocal = isLocal
        source = addresses?.source
        destination = addresses?.destination
        self.fieldBytes = fieldBytes
    }

    /// Creates a header for a client.
    ///
    /// - Parameters:
    ///   - version: The version.
    ///   - source: The address of the client.
    ///   - destination: The address to which the client has connected. If one of the two is `nil`, or only one is a Unix
    ///     socket, the header has no addresses (`UNKNOWN`).
    public init(_ version: Version, from source: SocketAddress?, to destination: SocketAddress?) {
        var addresses: (SocketAddress, SocketAddress)?
        if let source, let destination, (source.family == .unix) == (destination.family == .unix) {
            addresses = (source, destination)
        }
        self.init(version, isLocal: false, addresses, fieldBytes: Bytes())
    }

    /// Creates a header that forwards the addresses of a connection, which may itself have come through a proxy.
    ///
    /// - Parameters:
    ///   - version: The version.
    ///   - connection: The connection of the client.
    public init(_ version: Version, forwarding connection: Connection) {
        self.init(version, from: connection.remoteAddress, to: connection.localAddress)
    }

    /// Creates the header of a connection that the proxy makes for itself. Version 1 calls it `UNKNOWN`.
    public static func local(_ version: Version) -> ProxyHeader {
        ProxyHeader(version, isLocal: true, nil, fieldBytes: Bytes())
    }

    // MARK: Fields

    /// All fields of version 2, in order, without padding.
    public var fields: [Field] { Field.all(in: fieldBytes).filter { $0.kind != .padding } }

    /// The value of the first field of a kind, or `nil`.
    public subscript(kind: Field.Kind) -> Bytes? { fields.first { $0.kind == kind }?.value }

    /// The application protocol that the client and the proxy have negotiated, such as `h2`. `nil` means unknown.
    public var applicationProtocol: Bytes? { self[.applicationProtocol] }
    /// The host name that the client has requested (SNI). `nil` means unknown, or not UTF-8.
    public var authority: String? { self[.authority].flatMap { String(validating: $0, as: UTF8.self) } }
    /// The identifier that the proxy has assigned to the connection, at most 128 bytes. `nil` means none.
    public var uniqueID: Bytes? { self[.uniqueID] }

    /// Appends a field, which only version 2 sends.
    ///
    /// - Parameter field: The field. The value of ``Field/checksum`` is computed when the header is sent.
    /// - Throws: `tooLong` if the value or the header becomes longer than the protocol allows. `malformed` if the header
    ///   already has a checksum. After an error the header is unchanged.
    public mutating func append(_ field: Field) throws(ProxyProtocolError) {
        if let error = field.error { throw error }
        if field.kind == .checksum, self[.checksum] != nil { throw .secondChecksum }
        let count = fieldBytes.count + 3 + field.value.count
        guard count <= Self.bodyLimit - 2 * ProxyFamily.longestAddress else {
            throw ProxyProtocolError(
                .tooLong,
                "the fields of a PROXY header would have \(count) bytes, and \(Self.bodyLimit) with the addresses are allowed"
            )
        }
        fieldBytes = Bytes(joining: [fieldBytes, field.encoded])
    }
}
