extension SocketAddress {
    /// The maximum length of a path in bytes: `sun_path` has 108, and the last one is a zero.
    private static let longestPath = 107

    /// A Unix socket in the file system.
    ///
    /// - Throws: `pathTooLong` if the path has more than 107 bytes in UTF-8. `invalidAddress` if it is empty or contains
    ///   a zero byte.
    public static func unix(path: String) throws(SocketError) -> SocketAddress {
        let bytes = try unixBytes(path, "a path")
        if bytes.contains(0) {
            throw SocketError(.invalidAddress, "a Unix socket's path has no zero byte in it")
        }
        return SocketAddress(family: .unix, bytes: bytes)
    }

    /// A Unix socket in Linux's abstract namespace, outside the file system. The name disappears when its last socket is
    /// closed.
    ///
    /// - Throws: `pathTooLong` if the name has more than 106 bytes in UTF-8. `invalidAddress` if it is empty.
    public static func abstract(_ name: String) throws(SocketError) -> SocketAddress {
        let bytes = try unixBytes(name, "an abstract name", longest: longestPath - 1)
        return SocketAddress(family: .unix, bytes: [0] + bytes)
    }

    /// The path of a Unix socket in the file system, or nil for any other address.
    public var path: String? {
        guard family == .unix, let first = bytes.first, first != 0 else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func unixBytes(
        _ text: String,
        _ what: String,
        longest: Int = longestPath
    ) throws(SocketError) -> [UInt8] {
        let bytes = Array(text.utf8)
        if bytes.isEmpty { throw SocketError(.invalidAddress, "\(what) of a Unix socket has at least one byte") }
        if bytes.count > longest {
            throw SocketError(
                .pathTooLong,
                "\"\(text)\" has \(bytes.count) bytes: \(what) of a Unix socket has at most \(longest)"
            )
        }
        return bytes
    }
}
