extension SocketAddress {
    /// How many bytes a Unix socket's path can have: the system's structure has 108, and the last is a zero.
    private static let longestPath = 107

    /// A Unix socket in the file system.
    ///
    /// - Throws: `pathTooLong` where it has more than 107 bytes in UTF-8, `invalidAddress` where it is empty or has a zero in it.
    public static func unix(path: String) throws(SocketError) -> SocketAddress {
        let bytes = try unixBytes(path, "a path")
        if bytes.contains(0) {
            throw SocketError(.invalidAddress, "a Unix socket's path has no zero byte in it")
        }
        return SocketAddress(family: .unix, bytes: bytes)
    }

    /// A Unix socket with a name of its own, outside the file system: it is gone with the last socket that has it.
    ///
    /// - Throws: `pathTooLong` where it has more than 106 bytes in UTF-8, `invalidAddress` where it is empty.
    public static func abstract(_ name: String) throws(SocketError) -> SocketAddress {
        let bytes = try unixBytes(name, "an abstract name", longest: longestPath - 1)
        return SocketAddress(family: .unix, bytes: [0] + bytes)
    }

    /// The path of a Unix socket that is in the file system, else nil.
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
