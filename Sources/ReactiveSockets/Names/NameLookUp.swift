// SPDX-License-Identifier: MIT
import Glibc

/// The system's blocking name look-up.
///
/// Safe: the list of `getaddrinfo` is read before it is freed, and an address is copied only if it fits.
enum NameLookUp {
    static func addresses(of host: String, port: UInt16) throws(SocketError) -> [SocketAddress] {
        var hints = unsafe addrinfo()
        unsafe hints.ai_family = AF_UNSPEC
        // Without a socket type, the list would contain each address once per type.
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        // `getaddrinfo` may leave the number of an earlier failure unchanged.
        errno = 0
        let code = unsafe getaddrinfo(host, nil, &hints, &list)
        let systemError = errno
        guard code == 0 else { throw failure(host, code, systemError) }
        // The caller must free the list.
        defer { unsafe freeaddrinfo(list) }
        var addresses: [SocketAddress] = []
        var next = unsafe list
        while let entry = unsafe next?.pointee {
            if let address = unsafe address(entry, port) { addresses.append(address) }
            unsafe next = entry.ai_next
        }
        if addresses.isEmpty {
            throw SocketError(.unknownHost, "cannot resolve host \"\(host)\": it has no IPv4 or IPv6 address")
        }
        return addresses
    }

    private static func address(_ entry: addrinfo, _ port: UInt16) -> SocketAddress? {
        guard let source = unsafe entry.ai_addr,
            unsafe entry.ai_addrlen <= socklen_t(MemoryLayout<sockaddr_storage>.size)
        else {
            return nil
        }
        let found = SocketAddress { target, length in
            length = unsafe entry.ai_addrlen
            unsafe UnsafeMutableRawPointer(target).copyMemory(from: source, byteCount: Int(entry.ai_addrlen))
            return 0
        }
        guard let found, found.family != .unix else { return nil }
        return found.with(port: port)
    }

    /// The error of a look-up that failed with `code`, and with `systemError` in `errno`.
    ///
    /// A look-up that can open neither the hosts file nor a socket fails like that of an unknown name. Only `errno` differs.
    static func failure(_ host: String, _ code: Int32, _ systemError: Int32) -> SocketError {
        let operation = "cannot resolve host \"\(host)\""
        if code == EAI_SYSTEM || SocketError.isExhaustion(systemError) { return .system(operation, systemError) }
        if code == EAI_MEMORY { return .system(operation, ENOMEM) }
        return SocketError(.unknownHost, unsafe "\(operation): \(String(cString: gai_strerror(code)))")
    }
}
