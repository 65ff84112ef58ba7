// SPDX-License-Identifier: MIT
package import Glibc

/// Conversions between addresses and text.
///
/// Safe: the system's functions receive a C string or a sized buffer, and keep neither.
enum AddressText {
    static func parse(_ text: String) -> SocketAddress? {
        // `inet_pton` would ignore everything after a zero byte.
        if text.utf8.contains(0) { return nil }
        var four = in_addr()
        if unsafe inet_pton(AF_INET, text, &four) == 1 {
            return SocketAddress(.four(UInt32(bigEndian: four.s_addr)))
        }
        var scope: UInt32 = 0
        var host = text
        if let percent = text.firstIndex(of: "%") {
            let interface = String(text[text.index(after: percent)...])
            scope = unsafe UInt32(interface) ?? if_nametoindex(interface)
            if scope == 0 { return nil }
            host = String(text[..<percent])
        }
        var six = in6_addr()
        guard unsafe inet_pton(AF_INET6, host, &six) == 1 else { return nil }
        let bytes = unsafe withUnsafeBytes(of: &six) { unsafe Array($0) }
        return SocketAddress(family: .ipv6, bytes: bytes, scope: scope)
    }

    static func host(_ address: SocketAddress) -> String {
        if address.family == .unix { return unix(address.bytes) }
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let family = address.family == .ipv4 ? AF_INET : AF_INET6
        unsafe address.bytes.withUnsafeBytes { bytes in
            _ = unsafe inet_ntop(family, bytes.baseAddress, &text, socklen_t(text.count))
        }
        let host = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return address.scope == 0 ? host : "\(host)%\(address.scope)"
    }

    private static func unix(_ bytes: [UInt8]) -> String {
        guard let first = bytes.first else { return "a socket without a name" }
        if first != 0 { return String(decoding: bytes, as: UTF8.self) }
        return "@" + String(decoding: bytes.dropFirst(), as: UTF8.self)
    }
}

// Safe: the storage has room for every address family, and each structure is read according to its family.
extension SocketAddress {
    /// Calls `body` with the address as a `sockaddr`. The pointer is valid only during the call.
    @safe
    package func withSockaddr<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        var storage = sockaddr_storage()
        let length: Int
        switch family {
        case .ipv4:
            var four = sockaddr_in()
            four.sin_family = sa_family_t(AF_INET)
            four.sin_port = port.bigEndian
            unsafe withUnsafeMutableBytes(of: &four.sin_addr) { unsafe $0.copyBytes(from: bytes) }
            length = MemoryLayout<sockaddr_in>.size
            unsafe withUnsafeMutableBytes(of: &storage) { unsafe $0.storeBytes(of: four, as: sockaddr_in.self) }
        case .ipv6:
            var six = sockaddr_in6()
            six.sin6_family = sa_family_t(AF_INET6)
            six.sin6_port = port.bigEndian
            six.sin6_scope_id = scope
            unsafe withUnsafeMutableBytes(of: &six.sin6_addr) { unsafe $0.copyBytes(from: bytes) }
            length = MemoryLayout<sockaddr_in6>.size
            unsafe withUnsafeMutableBytes(of: &storage) { unsafe $0.storeBytes(of: six, as: sockaddr_in6.self) }
        case .unix:
            storage.ss_family = sa_family_t(AF_UNIX)
            // A zero byte terminates a path. A peer's path can fill the structure, and then has no zero byte after it.
            // An abstract name never has one, because the length delimits it.
            let terminator = bytes.first.map { $0 == 0 ? 0 : 1 } ?? 0
            length = min(Self.pathOffset + bytes.count + terminator, MemoryLayout<sockaddr_un>.size)
            unsafe withUnsafeMutableBytes(of: &storage) { unsafe $0[Self.pathOffset...].copyBytes(from: bytes) }
        }
        return unsafe withUnsafePointer(to: &storage) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe body($0, socklen_t(length)) }
        }
    }

    /// The offset of the path in a `sockaddr_un`.
    private static var pathOffset: Int { MemoryLayout<sa_family_t>.size }

    /// Creates the address that `fill` writes. Returns `nil` if `fill` returns a negative number or writes an unknown
    /// family. The pointer is valid only during the call.
    @safe
    package init?(_ fill: (UnsafeMutablePointer<sockaddr>, inout socklen_t) -> Int32) {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let code = unsafe withUnsafeMutablePointer(to: &storage) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe fill($0, &length) }
        }
        guard code >= 0 else { return nil }
        switch Int32(storage.ss_family) {
        case AF_INET:
            let four = unsafe withUnsafeBytes(of: &storage) { unsafe $0.load(as: sockaddr_in.self) }
            self.init(.four(UInt32(bigEndian: four.sin_addr.s_addr)), port: UInt16(bigEndian: four.sin_port))
        case AF_INET6:
            let six = unsafe withUnsafeBytes(of: &storage) { unsafe $0.load(as: sockaddr_in6.self) }
            unsafe self.init(
                family: .ipv6,
                bytes: withUnsafeBytes(of: six.sin6_addr) { unsafe Array($0) },
                port: UInt16(bigEndian: six.sin6_port),
                scope: six.sin6_scope_id
            )
        case AF_UNIX:
            let length = min(Int(length), MemoryLayout<sockaddr_un>.size)
            var path = unsafe withUnsafeBytes(of: &storage) { unsafe Array($0[min(Self.pathOffset, length)..<length]) }
            if path.first != 0, let end = path.firstIndex(of: 0) { path.removeSubrange(end...) }
            self.init(family: .unix, bytes: path)
        default: return nil
        }
    }
}
