// SPDX-License-Identifier: MIT
import CReactive
import Glibc
import ReactiveSupport

/// The system's socket calls. Each call retries after `EINTR`, reads `errno` immediately and never raises `SIGPIPE`
/// (rule G1).
///
/// This type does not own its descriptor. The code that opens the descriptor must close it.
///
/// Safe: each call receives sized memory that outlives the call. The system keeps no pointer.
struct SystemSocket {
    let descriptor: Int32

    /// The result of a non-blocking call.
    enum Outcome {
        case count(Int)
        case wouldBlock
        case failed(Int32)

        /// Creates the outcome of a call that returns a count or a negative error number.
        init(result: Int) {
            self =
                switch result {
                case 0...: .count(result)
                case -Int(EAGAIN): .wouldBlock
                default: .failed(Int32(-result))
                }
        }
    }

    typealias Kind = SocketType

    /// The calls of the simulated host that owns the descriptor. nil for a real descriptor (Decision 0041).
    @inline(__always)
    var simulated: (any SocketSystem)? {
        if _fastPath(descriptor < SimulatedDescriptors.first) { return nil }
        return SimulatedDescriptors.system
    }

    static func make(_ kind: Kind, _ family: SocketAddress.Family) -> Result<SystemSocket, SystemFailure> {
        if let system = SimulatedDescriptors.system {
            let result = system.open(kind, family)
            return result < 0 ? .failure(SystemFailure(errno: -result)) : .success(SystemSocket(descriptor: result))
        }
        let domain =
            switch family {
            case .ipv4: AF_INET
            case .ipv6: AF_INET6
            case .unix: AF_UNIX
            }
        let type = kind == .stream ? SOCK_STREAM : SOCK_DGRAM
        let flags = Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(domain, Int32(type.rawValue) | flags, 0)
        return descriptor < 0 ? .failure(SystemFailure(errno: errno)) : .success(SystemSocket(descriptor: descriptor))
    }

    func bind(_ address: SocketAddress) -> Int32 {
        if let simulated { return simulated.bind(descriptor, address) }
        return address.withSockaddr { unsafe Glibc.bind(descriptor, $0, $1) } == 0 ? 0 : errno
    }

    /// Starts to connect.
    ///
    /// - Returns: 0 if the socket is connected, or an error number. `EINPROGRESS` means that the attempt continues in
    ///   the kernel, as after an interrupted call. The socket becomes writable when the attempt has succeeded or
    ///   failed.
    func connect(_ address: SocketAddress) -> Int32 {
        if let simulated { return simulated.connect(descriptor, address) }
        if address.withSockaddr({ unsafe Glibc.connect(descriptor, $0, $1) }) == 0 { return 0 }
        return errno == EINTR ? EINPROGRESS : errno
    }

    func listen(_ backlog: Int32) -> Int32 {
        if let simulated { return simulated.listen(descriptor, backlog: backlog) }
        return Glibc.listen(descriptor, backlog) == 0 ? 0 : errno
    }

    /// Accepts one peer. The count is its descriptor. An address of `nil` means that the system does not report it.
    func accept() -> (outcome: Outcome, peer: SocketAddress?) {
        if let simulated {
            let (result, peer) = simulated.accept(descriptor)
            return (Outcome(result: Int(result)), peer)
        }
        return unsafe withPeer { unsafe Int(reactive_accept(descriptor, $0, &$1)) }
    }

    /// Makes a call that also writes the address of the peer.
    func withPeer(
        _ call: (UnsafeMutablePointer<sockaddr>, inout socklen_t) -> Int
    ) -> (outcome: Outcome, peer: SocketAddress?) {
        var result = Outcome.wouldBlock
        let peer = SocketAddress { address, length in
            result = outcome { unsafe call(address, &length) }
            if case .count = result { return 0 }
            return -1
        }
        return (result, peer)
    }

    /// Receives bytes, or only peeks at them. The result is `count(0)` at end of stream.
    func receive(_ memory: UnsafeMutableRawBufferPointer, peeks: Bool = false) -> Outcome {
        if let simulated { return unsafe Outcome(result: simulated.receive(descriptor, memory, peeks: peeks)) }
        return outcome { unsafe recv(descriptor, memory.baseAddress, memory.count, peeks ? Int32(MSG_PEEK) : 0) }
    }

    /// Sends bytes. If `isFollowed`, more will follow soon, and the kernel waits for them, at most 200 ms, before it sends
    /// a part of a segment (`MSG_MORE`).
    func send(_ memory: UnsafeRawBufferPointer, isFollowed: Bool = false) -> Outcome {
        if let simulated { return unsafe Outcome(result: simulated.send(descriptor, memory)) }
        let flags = isFollowed ? Self.quietly | Int32(MSG_MORE) : Self.quietly
        return outcome { unsafe Glibc.send(descriptor, memory.baseAddress, memory.count, flags) }
    }

    /// Sends bytes of a file without copying them (sendfile(2)). The count is 0 at the end of the file.
    ///
    /// The call waits for the disk if the kernel does not have the bytes in memory.
    func send(_ file: OpenFile, from offset: Int, _ count: Int) -> Outcome {
        // A simulated socket has no kernel that could read the file.
        if simulated != nil { return .failed(EINVAL) }
        return outcome { reactive_sendfile(descriptor, file.descriptor, Int64(offset), count) }
    }

    /// Sends several buffers with one call, like `writev`, but never raises `SIGPIPE`.
    func send(_ buffers: [Bytes]) -> Outcome {
        if simulated != nil { return unsafe Bytes(joining: buffers).withUnsafeBytes { unsafe send($0) } }
        return unsafe withUnsafeTemporaryAllocation(of: iovec.self, capacity: buffers.count) { vectors in
            for (index, buffer) in buffers.enumerated() {
                // `buffers` retains the memory until the call returns.
                unsafe buffer.withUnsafeBytes { memory in
                    let start = unsafe UnsafeMutableRawPointer(mutating: memory.baseAddress)
                    unsafe vectors.initializeElement(at: index, to: iovec(iov_base: start, iov_len: memory.count))
                }
            }
            var message = unsafe msghdr()
            unsafe message.msg_iov = vectors.baseAddress
            unsafe message.msg_iovlen = buffers.count
            return withExtendedLifetime(buffers) { outcome { unsafe sendmsg(descriptor, &message, Self.quietly) } }
        }
    }

    /// Peeks at the next byte without consuming it. The result is `count(0)` at end of stream.
    func peek() -> Outcome {
        unsafe withUnsafeTemporaryAllocation(byteCount: 1, alignment: 1) { memory in
            unsafe receive(memory, peeks: true)
        }
    }

    /// The number of bytes that have arrived and have not been received, or the length of the next datagram. 0 if there
    /// are none, or if the system does not report it.
    var readableCount: Int {
        simulated?.readableCount(descriptor) ?? count(FIONREAD)
    }

    /// The number of bytes in the kernel that the peer has not acknowledged, or 0 if the system does not report it.
    var unsentCount: Int {
        simulated?.unsentCount(descriptor) ?? count(TIOCOUTQ)
    }

    private func count(_ request: some BinaryInteger) -> Int {
        var count: Int32 = 0
        return unsafe ioctl(descriptor, UInt(request), &count) == 0 ? Int(count) : 0
    }

    /// Whether the peer has ended its stream or the connection has failed, even if unread bytes precede that (`POLLRDHUP`,
    /// poll(2)).
    var hasPeerEnded: Bool { simulated?.hasPeerEnded(descriptor) ?? (reactive_stream_has_ended(descriptor) != 0) }

    private static var quietly: Int32 { Int32(MSG_NOSIGNAL) }

    func shutdownWriting() {
        _ = simulated?.shutdownWriting(descriptor) ?? shutdown(descriptor, Int32(SHUT_WR))
    }

    /// The socket's pending error (`SO_ERROR`), or 0. Reading clears it.
    var pendingError: Int32 {
        if case .success(let code) = value(SOL_SOCKET, SO_ERROR) { code } else { 0 }
    }

    /// Closes the descriptor, which must be open. A second close would close a file that has received the same number.
    func close() {
        if let simulated {
            _ = simulated.close(descriptor)
            return
        }
        let code = Glibc.close(descriptor) == 0 ? 0 : errno
        // The system does not know the numbers of a simulation that has ended, and a forked child may have closed all.
        let isKnown = descriptor < SimulatedDescriptors.first && reactive_fork_generation() == 0
        assert(code != EBADF || !isKnown, "the descriptor \(descriptor) is closed already")
    }

    /// Closes with a zero linger time: the peer receives a reset, and unsent bytes are dropped.
    func closeWithReset() {
        if let simulated {
            _ = simulated.setZeroLinger(descriptor)
            return close()
        }
        var option = linger(l_onoff: 1, l_linger: 0)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        close()
    }

    var localAddress: SocketAddress? {
        if let simulated { return simulated.localAddress(descriptor) }
        return SocketAddress { unsafe getsockname(descriptor, $0, &$1) }
    }

    var remoteAddress: SocketAddress? {
        if let simulated { return simulated.remoteAddress(descriptor) }
        return SocketAddress { unsafe getpeername(descriptor, $0, &$1) }
    }

    /// Sets an option whose value is an `int`. Returns 0 or an error number.
    func set(_ level: Int32, _ option: Int32, _ value: Int32) -> Int32 {
        if let simulated { return simulated.setOption(descriptor, level: level, name: option, value: value) }
        var value = value
        return unsafe setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size)) == 0
            ? 0 : errno
    }

    /// The value of an option that is an `int`.
    func value(_ level: Int32, _ option: Int32) -> Result<Int32, SystemFailure> {
        if let simulated {
            let (code, value) = simulated.option(descriptor, level: level, name: option)
            return code == 0 ? .success(value) : .failure(SystemFailure(errno: code))
        }
        var value: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        return unsafe getsockopt(descriptor, level, option, &value, &length) == 0
            ? .success(value) : .failure(SystemFailure(errno: errno))
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
