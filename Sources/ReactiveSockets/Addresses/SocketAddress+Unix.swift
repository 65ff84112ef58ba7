// SPDX-License-Identifier: MIT
extension SocketAddress {
    /// The maximum length of a path in bytes: `sun_path` has 108, and the last one is a zero.
    private static let longestPath = 107

    /// A Unix socket in the file system (unix(7)). The call does not access the file system.
    ///
    /// - Parameter path: The path. A relative one is resolved against the working directory when the address is used.
    /// - Returns: The address.
    /// - Throws: `pathTooLong` if the path has more than 107 bytes in UTF-8. `invalidAddress` if it is empty or
    ///   contains a zero byte.
    public static func unix(path: String) throws(SocketError) -> SocketAddress {
        let bytes = try unixBytes(path, "a path")
        if bytes.contains(0) {
            throw SocketError(.invalidAddress, "cannot use the path of a Unix socket: it contains a zero byte")
        }
        return SocketAddress(family: .unix, bytes: bytes)
    }

    /// A Unix socket in Linux's abstract namespace, outside the file system (unix(7)). The name disappears when its
    /// last socket is closed.
    ///
    /// - Parameter name: The name, without the leading zero byte. It may contain zero bytes.
    /// - Returns: The address.
    /// - Throws: `pathTooLong` if the name has more than 106 bytes in UTF-8. `invalidAddress` if it is empty.
    public static func abstract(_ name: String) throws(SocketError) -> SocketAddress {
        let bytes = try unixBytes(name, "an abstract name", longest: longestPath - 1)
        return SocketAddress(family: .unix, bytes: [0] + bytes)
    }

    /// The path of a Unix socket in the file system. `nil` means any other address, including an abstract or unnamed
    /// one.
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
        if bytes.isEmpty { throw SocketError(.invalidAddress, "cannot use \(what) of a Unix socket: it is empty") }
        if bytes.count > longest {
            throw SocketError(
                .pathTooLong,
                "cannot use \"\(text)\": \(bytes.count) bytes, but \(what) of a Unix socket has at most \(longest)"
            )
        }
        return bytes
    }
}
