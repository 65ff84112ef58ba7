import CReactive
import Glibc
import ReactiveSupport

/// The system's socket calls: EINTR tried again, errno taken at once, SIGPIPE never (rule G1).
///
/// A number, not an owner: who opens closes.
///
/// Safe: each call gets memory with its size, which exists until the call returns. The system keeps no pointer.
struct SystemSocket {
    let descriptor: Int32

    /// What a call that may not block came to.
    enum Outcome {
        case count(Int)
        case wouldBlock
        case failed(Int32)
    }

    /// The two kinds of socket.
    enum Kind { case stream, datagram }

    static func make(_ kind: Kind, _ family: SocketAddress.Family) -> Result<SystemSocket, Errno> {
        let domain =
            switch family {
            case .ipv4: AF_INET
            case .ipv6: AF_INET6
            case .unix: AF_UNIX
            }
        let type = kind == .stream ? SOCK_STREAM : SOCK_DGRAM
        let flags = Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(domain, Int32(type.rawValue) | flags, 0)
        return descriptor < 0 ? .failure(Errno(errno)) : .success(SystemSocket(descriptor: descriptor))
    }

    /// An error number that can be thrown.
    struct Errno: Error {
        let code: Int32

        init(_ code: Int32) { self.code = code }
    }

    func bind(_ address: SocketAddress) -> Int32 {
        address.withSockaddr { unsafe Glibc.bind(descriptor, $0, $1) } == 0 ? 0 : errno
    }

    /// Begins to connect: 0 where it is done already, `EINPROGRESS` where the socket is writable when it is, else why not.
    ///
    /// Interrupted, the system goes on connecting, and it is asked like one in progress.
    func connect(_ address: SocketAddress) -> Int32 {
        if address.withSockaddr({ unsafe Glibc.connect(descriptor, $0, $1) }) == 0 { return 0 }
        return errno == EINTR ? EINPROGRESS : errno
    }

    func listen(_ backlog: Int32) -> Int32 {
        Glibc.listen(descriptor, backlog) == 0 ? 0 : errno
    }

    /// Accepts one peer: its descriptor, and where it is if the system says so.
    func accept() -> (outcome: Outcome, peer: SocketAddress?) {
        var accepted = Outcome.wouldBlock
        let peer = SocketAddress { address, length in
            accepted = outcome { unsafe Int(reactive_accept(descriptor, address, &length)) }
            if case .count = accepted { return 0 }
            return -1
        }
        return (accepted, peer)
    }

    func receive(_ memory: UnsafeMutableRawBufferPointer) -> Outcome {
        outcome { unsafe recv(descriptor, memory.baseAddress, memory.count, 0) }
    }

    func send(_ memory: UnsafeRawBufferPointer) -> Outcome {
        outcome { unsafe Glibc.send(descriptor, memory.baseAddress, memory.count, Self.quietly) }
    }

    /// Sends several pieces in one call: `writev` without its SIGPIPE.
    func send(_ pieces: [Bytes]) -> Outcome {
        unsafe withUnsafeTemporaryAllocation(of: iovec.self, capacity: pieces.count) { vectors in
            for (index, piece) in pieces.enumerated() {
                // `pieces` keeps the memory until the call is over.
                unsafe piece.withUnsafeBytes { memory in
                    let start = unsafe UnsafeMutableRawPointer(mutating: memory.baseAddress)
                    unsafe vectors.initializeElement(at: index, to: iovec(iov_base: start, iov_len: memory.count))
                }
            }
            var message = unsafe msghdr()
            unsafe message.msg_iov = vectors.baseAddress
            unsafe message.msg_iovlen = pieces.count
            return withExtendedLifetime(pieces) { outcome { unsafe sendmsg(descriptor, &message, Self.quietly) } }
        }
    }

    /// Looks at the next byte and leaves it there: `count(0)` at the end of the stream.
    func peek() -> Outcome {
        unsafe withUnsafeTemporaryAllocation(byteCount: 1, alignment: 1) { memory in
            outcome { unsafe recv(descriptor, memory.baseAddress, 1, Int32(MSG_PEEK)) }
        }
    }

    /// Bytes that the kernel holds and the peer has not acknowledged; 0 where it does not say.
    var unsentCount: Int {
        var count: Int32 = 0
        return unsafe ioctl(descriptor, UInt(TIOCOUTQ), &count) == 0 ? Int(count) : 0
    }

    private static var quietly: Int32 { Int32(MSG_NOSIGNAL) }

    func shutdownWriting() { _ = shutdown(descriptor, Int32(SHUT_WR)) }

    /// The error that the system keeps for this socket, 0 if there is none.
    var pendingError: Int32 {
        var code: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length)
        return code
    }

    func close() { _ = Glibc.close(descriptor) }

    /// Closes without lingering: the peer gets a reset, and what was not sent is dropped.
    func closeAbruptly() {
        var option = linger(l_onoff: 1, l_linger: 0)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        close()
    }

    var localAddress: SocketAddress? { SocketAddress { unsafe getsockname(descriptor, $0, &$1) } }

    var remoteAddress: SocketAddress? { SocketAddress { unsafe getpeername(descriptor, $0, &$1) } }

    /// Sets an option that is an `int`, as nearly all are; 0 or why not.
    func set(_ level: Int32, _ option: Int32, _ value: Int32) -> Int32 {
        var value = value
        return unsafe setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size)) == 0
            ? 0 : errno
    }

    /// What such an option is set to.
    func value(_ level: Int32, _ option: Int32) -> Result<Int32, Errno> {
        var value: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        return unsafe getsockopt(descriptor, level, option, &value, &length) == 0
            ? .success(value) : .failure(Errno(errno))
    }

    @inline(__always)
    func outcome(_ call: () -> Int) -> Outcome {
        while true {
            let result = call()
            if result >= 0 { return .count(result) }
            switch errno {
            case EINTR: continue
            case EAGAIN: return .wouldBlock
            case let code: return .failed(code)
            }
        }
    }
}
