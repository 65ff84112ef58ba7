import CReactive
import Glibc

/// The system's socket calls: EINTR tried again, errno taken at once, SIGPIPE never (rule G1).
///
/// A number, not an owner: who opens closes.
struct SystemSocket {
    let descriptor: Int32

    /// What a call that may not block came to.
    enum Outcome {
        case count(Int)
        case wouldBlock
        case failed(Int32)
    }

    static func stream(_ family: SocketAddress.Family) -> Result<SystemSocket, Errno> {
        let domain = family == .ipv4 ? AF_INET : AF_INET6
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(domain, kind, 0)
        return descriptor < 0 ? .failure(Errno(errno)) : .success(SystemSocket(descriptor: descriptor))
    }

    /// An error number that can be thrown.
    struct Errno: Error {
        let code: Int32

        init(_ code: Int32) { self.code = code }
    }

    func bind(_ address: SocketAddress) -> Int32 {
        address.withSockaddr { Glibc.bind(descriptor, $0, $1) } == 0 ? 0 : errno
    }

    func listen(_ backlog: Int32) -> Int32 {
        Glibc.listen(descriptor, backlog) == 0 ? 0 : errno
    }

    /// Accepts one peer: its descriptor, and where it is if the system says so.
    func accept() -> (outcome: Outcome, peer: SocketAddress?) {
        var accepted = Outcome.wouldBlock
        let peer = SocketAddress { address, length in
            accepted = outcome { Int(reactive_accept(descriptor, address, &length)) }
            if case .count = accepted { return 0 }
            return -1
        }
        return (accepted, peer)
    }

    func receive(_ memory: UnsafeMutableRawBufferPointer) -> Outcome {
        outcome { recv(descriptor, memory.baseAddress, memory.count, 0) }
    }

    func send(_ memory: UnsafeRawBufferPointer) -> Outcome {
        outcome { Glibc.send(descriptor, memory.baseAddress, memory.count, Int32(MSG_NOSIGNAL)) }
    }

    func shutdownWriting() { _ = shutdown(descriptor, Int32(SHUT_WR)) }

    /// The error that the system keeps for this socket, 0 if there is none.
    var pendingError: Int32 {
        var code: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length)
        return code
    }

    func close() { _ = Glibc.close(descriptor) }

    /// Closes without lingering: the peer gets a reset, and what was not sent is dropped.
    func closeAbruptly() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        close()
    }

    func setNoDelay() { set(Int32(IPPROTO_TCP), TCP_NODELAY) }

    func setReuseAddress() { set(SOL_SOCKET, SO_REUSEADDR) }

    var localAddress: SocketAddress? { SocketAddress { getsockname(descriptor, $0, &$1) } }

    private func set(_ level: Int32, _ option: Int32) {
        var on: Int32 = 1
        setsockopt(descriptor, level, option, &on, socklen_t(MemoryLayout<Int32>.size))
    }

    @inline(__always)
    private func outcome(_ call: () -> Int) -> Outcome {
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
