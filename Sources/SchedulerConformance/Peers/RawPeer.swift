import Glibc
import ReactiveSockets

/// A peer that is nobody's library: a descriptor and the system's calls. It does not block unless it is told to.
///
/// Safe: the system's calls get strings, arrays and local variables with their sizes, and keep no pointer.
final class RawPeer: Sendable {
    /// What one read came to.
    enum Read: Equatable {
        case bytes([UInt8])
        case nothing
        case end
        case failed(Int32)
    }

    let descriptor: Int32
    private let isOpen: Box<Bool>

    /// Connects, which on this machine takes no accepting.
    init(to address: SocketAddress, receiveBuffer: Int32 = 0, file: StaticString = #fileID, line: Int = #line) throws {
        isOpen = Box(true, file: file, line: line)
        // A Unix socket that does not block is refused by a full queue, where one that blocks waits.
        let waiting = address.family == .unix ? 0 : Int32(SOCK_NONBLOCK.rawValue)
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | waiting
        descriptor = socket(address.domain, type, 0)
        if receiveBuffer > 0 { Self.set(descriptor, SOL_SOCKET, SO_RCVBUF, receiveBuffer) }
        let code = address.withSystemAddress { unsafe connect(descriptor, $0, $1) }
        guard code == 0 || errno == EINPROGRESS else {
            throw Broken("the system connects to \(address)", "errno \(errno)")
        }
        // A call that blocks reports, and takes, the reset of a peer that was quick to break off: here the first read
        // gets it.
        var answer = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        while unsafe poll(&answer, 1, -1) < 0, errno == EINTR {}
        if address.family != .unix { Self.set(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, 1) }
        setBlocking(false)
    }

    init(_ descriptor: Int32, file: StaticString = #fileID, line: Int = #line) {
        self.descriptor = descriptor
        isOpen = Box(true, file: file, line: line)
    }

    deinit { shut() }

    static func set(_ descriptor: Int32, _ level: Int32, _ option: Int32, _ value: Int32) {
        var value = value
        unsafe setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    func setBlocking(_ isBlocking: Bool) {
        let flags = fcntl(descriptor, F_GETFL)
        _ = fcntl(descriptor, F_SETFL, isBlocking ? flags & ~O_NONBLOCK : flags | O_NONBLOCK)
    }

    /// Sends as much as the kernel takes; how much that was.
    @discardableResult
    func send(_ bytes: some Collection<UInt8>) -> Int {
        let bytes = Array(bytes)
        return unsafe max(0, Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)))
    }

    /// Sends all of it, blocking.
    func sendAll(_ bytes: [UInt8]) {
        setBlocking(true)
        var sent = 0
        while sent < bytes.count {
            let count = send(bytes[sent...])
            if count == 0 { return }
            sent += count
        }
    }

    func receive(_ limit: Int = 65536) -> Read {
        var memory = [UInt8](repeating: 0, count: limit)
        let count = unsafe recv(descriptor, &memory, limit, 0)
        if count > 0 { return .bytes(Array(memory[..<count])) }
        if count == 0 { return .end }
        return errno == EAGAIN ? .nothing : .failed(errno)
    }

    /// Blocks until the stream ends or breaks off; all that came, and how it ended.
    func receiveAll() -> (bytes: [UInt8], end: Read) {
        setBlocking(true)
        var all: [UInt8] = []
        while true {
            switch receive() {
            case .bytes(let bytes): all += bytes
            case let end: return (all, end)
            }
        }
    }

    func finish() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Breaks off: the peer gets a reset.
    func reset() {
        var option = linger(l_onoff: 1, l_linger: 0)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        shut()
    }

    func shut() {
        let wasOpen = isOpen.update { isOpen in
            defer { isOpen = false }
            return isOpen
        }
        if wasOpen { close(descriptor) }
    }

    /// An address of this machine that refuses. A port that was just given up would be somebody else's soon, at times
    /// even the connecting socket's own; port 1 is given to nobody who does not ask for it.
    static let closedAddress = SocketAddress.loopback(port: 1)

    /// The port of a descriptor's own end.
    static func port(of descriptor: Int32, isPeer: Bool = false) -> UInt16? {
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let code = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe isPeer ? getpeername(descriptor, pointer, &length) : getsockname(descriptor, pointer, &length)
            }
        }
        guard code == 0, [AF_INET, AF_INET6].contains(Int32(address.ss_family)) else { return nil }
        // The port has the same place in both families.
        return unsafe withUnsafeBytes(of: &address) { unsafe UInt16($0[2]) << 8 | UInt16($0[3]) }
    }

    /// A socket in words: its number, both ends, and the system's number for its state.
    static func description(of descriptor: Int32) -> String {
        let numbers = [
            port(of: descriptor), port(of: descriptor, isPeer: true), state(of: descriptor).map { UInt16($0) },
        ]
        let words = numbers.map { number in number.map { "\($0)" } ?? "none" }
        return "descriptor \(descriptor), port \(words[0]), its peer's \(words[1]), state \(words[2])"
    }

    /// The system's number for the state of a TCP socket; nil for any other descriptor.
    private static func state(of descriptor: Int32) -> UInt8? {
        var state = UInt8(0)
        var length = socklen_t(1)
        return unsafe getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_INFO, &state, &length) == 0 ? state : nil
    }

    /// The sockets of this process with that port on either end.
    static func descriptors(on port: UInt16) -> [Int32] {
        Descriptor.all.filter { Self.port(of: $0) == port || Self.port(of: $0, isPeer: true) == port }.sorted()
    }

    /// A socket that listens and that nobody has wrapped; it blocks.
    static func listener() -> (descriptor: Int32, address: SocketAddress) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        _ = SocketAddress.loopback(port: 0).withSystemAddress { unsafe bind(descriptor, $0, $1) }
        listen(descriptor, 16)
        return (descriptor, .loopback(port: port(of: descriptor) ?? 1))
    }

    /// Blocks until somebody connects.
    static func accepted(by listener: Int32) -> RawPeer { RawPeer(accept(listener, nil, nil)) }

    static func hasNoDelay(_ descriptor: Int32) -> Bool {
        var value: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        unsafe getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &value, &length)
        return value != 0
    }

    static func setSendBuffer(_ descriptor: Int32, _ size: Int32) { set(descriptor, SOL_SOCKET, SO_SNDBUF, size) }

    /// The error that a socket holds, which is taken from it.
    static func takeError(of descriptor: Int32) -> Int32 {
        var error: Int32 = -1
        var size = socklen_t(MemoryLayout<Int32>.size)
        unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size)
        return error
    }

    /// Begins to connect, without waiting.
    static func connecting(to address: SocketAddress) -> Int32 {
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(address.domain, type, 0)
        _ = address.withSystemAddress { unsafe connect(descriptor, $0, $1) }
        return descriptor
    }

    static func datagrams() -> Int32 {
        socket(AF_INET, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    }

    /// How many sockets of this process have asked a peer and have no answer.
    static var asking: Int { Descriptor.all.count { descriptor in state(of: descriptor) == 2 } }

    static func exists(path: String) -> Bool { unsafe access(path, F_OK) == 0 }

    static func makeFile(_ path: String) { unsafe close(open(path, O_CREAT | O_WRONLY, 0o600)) }

    static func removeFile(_ path: String) { unsafe unlink(path) }

    /// Makes a folder where there is none, and locks it until the result is closed.
    static func lockFolder(_ path: String) -> Int32 {
        unsafe mkdir(path, 0o700)
        let descriptor = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        flock(descriptor, LOCK_EX)
        return descriptor
    }

    static func removeFolder(_ path: String) { unsafe rmdir(path) }

    /// The file of a Unix server that has died.
    static func leaveStaleSocket(_ address: SocketAddress) {
        let dead = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        _ = address.withSystemAddress { unsafe bind(dead, $0, $1) }
        listen(dead, 1)
        close(dead)
    }

    /// The kinds of Unix socket.
    enum SocketKind: CaseIterable { case stream, datagram, sequencedPacket }

    /// A socket that has an address and does nothing with it.
    static func bound(to address: SocketAddress, _ kind: SocketKind) -> Int32 {
        let type =
            switch kind {
            case .stream: SOCK_STREAM
            case .datagram: SOCK_DGRAM
            case .sequencedPacket: SOCK_SEQPACKET
            }
        let descriptor = socket(address.domain, Int32(type.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        _ = address.withSystemAddress { unsafe bind(descriptor, $0, $1) }
        return descriptor
    }

    static var processIdentifier: Int32 { getpid() }

    static func isListening(_ descriptor: Int32) { listen(descriptor, 1) }
}

/// An address that answers nobody: a socket with a queue of one, which is full.
final class SilentPeer: Sendable {
    let address: SocketAddress
    private let descriptors: [Int32]

    init() {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        _ = SocketAddress.loopback(port: 0).withSystemAddress { unsafe bind(descriptor, $0, $1) }
        listen(descriptor, 0)
        let address = SocketAddress.loopback(port: RawPeer.port(of: descriptor) ?? 1)
        descriptors = [descriptor] + (0..<4).map { _ in RawPeer.connecting(to: address) }
        self.address = address
    }

    deinit { for descriptor in descriptors { close(descriptor) } }
}

extension SocketAddress {
    var domain: Int32 {
        switch family {
        case .ipv4: AF_INET
        case .ipv6: AF_INET6
        case .unix: AF_UNIX
        }
    }

    /// The same address as the system has it; the memory is good during the call.
    ///
    /// Safe: the storage has room for every kind of address.
    @safe
    func withSystemAddress<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        var storage = sockaddr_storage()
        storage.ss_family = sa_family_t(domain)
        var length = MemoryLayout<sockaddr_in>.size
        unsafe withUnsafeMutableBytes(of: &storage) { memory in
            unsafe memory[2] = UInt8(port >> 8)
            unsafe memory[3] = UInt8(port & 0xff)
            var place = 4
            switch family {
            case .ipv4: break
            case .ipv6:
                // The flow's number comes first.
                place = 8
                length = MemoryLayout<sockaddr_in6>.size
            case .unix:
                place = 2
                // A path ends with a zero byte, an abstract name begins with one.
                length = 2 + bytes.count + (bytes.first == 0 ? 0 : 1)
                unsafe memory[2] = 0
                unsafe memory[3] = 0
            }
            for (index, byte) in bytes.enumerated() { unsafe memory[place + index] = byte }
        }
        return unsafe withUnsafePointer(to: &storage) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe body($0, socklen_t(length)) }
        }
    }
}
