import Glibc
import ReactiveSupport
import Synchronization

@testable import ReactiveSockets

/// A client that is nobody's library: a descriptor and the system's calls. It does not block unless it is told to.
final class RawClient: Sendable {
    let descriptor: Int32
    private let isOpen = Lock(true)

    /// Connects, which on this machine takes no accepting.
    init(to address: SocketAddress, receiveBuffer: Int32 = 0) {
        let domain = address.family == .ipv4 ? AF_INET : AF_INET6
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        descriptor = socket(domain, type, 0)
        precondition(descriptor >= 0, "socket: \(errno)")
        if receiveBuffer > 0 { set(SOL_SOCKET, SO_RCVBUF, receiveBuffer) }
        let code = address.withSockaddr { connect(descriptor, $0, $1) }
        precondition(code == 0 || errno == EINPROGRESS, "connect: \(errno)")
        // A call that blocks reports, and takes, the reset of a server that was quick to break off. Here it is left
        // for the first read, which is where a test looks for it.
        var answer = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        while poll(&answer, 1, -1) < 0 { precondition(errno == EINTR, "poll: \(errno)") }
        set(Int32(IPPROTO_TCP), TCP_NODELAY, 1)
    }

    deinit { close() }

    func set(_ level: Int32, _ option: Int32, _ value: Int32) {
        var value = value
        setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    func setBlocking(_ isBlocking: Bool) {
        let flags = fcntl(descriptor, F_GETFL)
        _ = fcntl(descriptor, F_SETFL, isBlocking ? flags & ~O_NONBLOCK : flags | O_NONBLOCK)
    }

    /// Sends as much as the kernel takes; how much that was.
    @discardableResult
    func send(_ bytes: some Collection<UInt8>) -> Int {
        let bytes = Array(bytes)
        return max(0, Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)))
    }

    /// What one read came to.
    enum Read: Equatable {
        case bytes([UInt8])
        case nothing
        case end
        case failed(Int32)
    }

    func receive(_ limit: Int = 65536) -> Read {
        var memory = [UInt8](repeating: 0, count: limit)
        let count = recv(descriptor, &memory, limit, 0)
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
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        close()
    }

    func close() {
        let wasOpen = isOpen.withLock { isOpen in
            defer { isOpen = false }
            return isOpen
        }
        if wasOpen { _ = Glibc.close(descriptor) }
    }
}

/// An address for a server whose descriptors are counted. No other test of this process has it: a port alone is soon
/// somebody else's, and a datagram socket has the same number at any time.
func ownLoopback() -> SocketAddress {
    let number = ownLoopbacks.wrappingAdd(1, ordering: .relaxed).newValue
    precondition(number < 1 << 22, "more servers than there are loopback addresses")
    let bytes = withUnsafeBytes(of: UInt32(127 << 24 | 64 << 16 | number).bigEndian) { Array($0) }
    return SocketAddress(family: .ipv4, bytes: bytes)
}

private let ownLoopbacks = Atomic<Int>(0)

/// How many descriptors of this process are sockets with that address on either end.
func descriptors(on address: SocketAddress) -> Int { descriptions(on: address).count }

/// The same, in words: the number, both ends, and the system's number for the state.
func descriptions(on address: SocketAddress) -> [String] {
    (0..<Int32(2048)).compactMap { descriptor in
        let local = SocketAddress { getsockname(descriptor, $0, &$1) }
        let remote = SocketAddress { getpeername(descriptor, $0, &$1) }
        guard local == address || remote == address else { return nil }
        var state = UInt8(0)
        var length = socklen_t(1)
        getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_INFO, &state, &length)
        return "\(descriptor): \(local?.description ?? "-") to \(remote?.description ?? "-"), state \(state)"
    }
}
