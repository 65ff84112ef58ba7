// SPDX-License-Identifier: MIT
import Glibc
import ReactiveCore
import ReactiveSockets

@testable import ReactiveSimulation

/// The two kernels that run a ``SocketProgram``.
protocol ProgramKernel {
    var calls: any SocketSystem { get }
    /// The readiness that a loop sees: a hang-up or an error is everything.
    func readiness(_ descriptor: Int32) -> Readiness
    /// Lets packets arrive.
    func settle()
    /// Lets packets arrive between the calls of one operation.
    func settleBriefly()
}

/// The simulated kernel of one host.
struct SimulatedKernel: ProgramKernel {
    private let network: SimulatedNetwork
    private let host: HostKernel

    init(seed: UInt64) {
        network = SimulatedNetwork(seed: seed)
        // Numbers that a real kernel picks for its own reasons would differ.
        network.tuning = KernelTuning(partialReads: 0, segmentation: 0)
        host = network.addHost(named: "host")
    }

    var calls: any SocketSystem { host }

    func readiness(_ descriptor: Int32) -> Readiness { host.readiness(descriptor) }

    func settle() { network.advance(to: network.now + .milliseconds(20)) }

    func settleBriefly() { network.advance(to: network.now + .milliseconds(1)) }
}

/// The kernel of this machine.
struct RealKernel: ProgramKernel {
    /// The number of milliseconds to wait after each call.
    let patience: Int32
    let calls: any SocketSystem = RealCalls()

    func readiness(_ descriptor: Int32) -> Readiness {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN | POLLOUT), revents: 0)
        poll(&entry, 1, 0)
        let found = Int32(entry.revents)
        if found & (POLLHUP | POLLERR) != 0 { return [.read, .write] }
        var ready: Readiness = found & POLLIN != 0 ? .read : []
        if found & POLLOUT != 0 { ready.insert(.write) }
        return ready
    }

    /// A packet of the loopback interface arrives before the call returns, almost always.
    func settle() { poll(nil, 0, patience) }

    func settleBriefly() {}
}

/// The system calls, in the form of the simulated ones.
private final class RealCalls: SocketSystem {
    private func code(_ result: Int32) -> Int32 { result < 0 ? errno : 0 }
    private func count(_ result: Int) -> Int { result < 0 ? -Int(errno) : result }

    func open(_ kind: SocketType, _ family: SocketAddress.Family) -> Int32 {
        let domain = family == .unix ? AF_UNIX : family == .ipv4 ? AF_INET : AF_INET6
        let type = Int32((kind == .stream ? SOCK_STREAM : SOCK_DGRAM).rawValue)
        let result = socket(domain, type | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        return result < 0 ? -errno : result
    }

    func bind(_ descriptor: Int32, _ address: SocketAddress) -> Int32 {
        address.withSockaddr { code(Glibc.bind(descriptor, $0, $1)) }
    }

    func connect(_ descriptor: Int32, _ address: SocketAddress) -> Int32 {
        address.withSockaddr { code(Glibc.connect(descriptor, $0, $1)) }
    }

    func listen(_ descriptor: Int32, backlog: Int32) -> Int32 { code(Glibc.listen(descriptor, backlog)) }

    func accept(_ descriptor: Int32) -> (result: Int32, peer: SocketAddress?) {
        var result: Int32 = 0
        let peer = SocketAddress { address, length in
            result = Glibc.accept(descriptor, address, &length)
            if result < 0 { result = -errno }
            return result < 0 ? -1 : 0
        }
        if result >= 0 { _ = fcntl(result, F_SETFL, O_NONBLOCK) }
        return (result, peer)
    }

    func receive(_ descriptor: Int32, _ memory: UnsafeMutableRawBufferPointer, peeks: Bool) -> Int {
        count(recv(descriptor, memory.baseAddress, memory.count, peeks ? Int32(MSG_PEEK) : 0))
    }

    func send(_ descriptor: Int32, _ memory: UnsafeRawBufferPointer) -> Int {
        count(Glibc.send(descriptor, memory.baseAddress, memory.count, Int32(MSG_NOSIGNAL)))
    }

    func receiveDatagram(
        _ descriptor: Int32,
        _ memory: UnsafeMutableRawBufferPointer
    ) -> (result: Int, peer: SocketAddress?) {
        var result = 0
        let peer = SocketAddress { address, length in
            let flags = Int32(MSG_TRUNC)
            result = count(recvfrom(descriptor, memory.baseAddress, memory.count, flags, address, &length))
            return result < 0 ? -1 : 0
        }
        return (result, peer)
    }

    func sendDatagram(_ descriptor: Int32, _ memory: UnsafeRawBufferPointer, to peer: SocketAddress?) -> Int {
        guard let peer else { return send(descriptor, memory) }
        return peer.withSockaddr { address, length in
            count(sendto(descriptor, memory.baseAddress, memory.count, Int32(MSG_NOSIGNAL), address, length))
        }
    }

    func shutdownWriting(_ descriptor: Int32) -> Int32 { code(shutdown(descriptor, Int32(SHUT_WR))) }

    func close(_ descriptor: Int32) -> Int32 { code(Glibc.close(descriptor)) }

    func setZeroLinger(_ descriptor: Int32) -> Int32 {
        var value = linger(l_onoff: 1, l_linger: 0)
        return code(setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &value, socklen_t(MemoryLayout<linger>.size)))
    }

    func setOption(_ descriptor: Int32, level: Int32, name: Int32, value: Int32) -> Int32 {
        var value = value
        return code(setsockopt(descriptor, level, name, &value, 4))
    }

    func option(_ descriptor: Int32, level: Int32, name: Int32) -> (code: Int32, value: Int32) {
        var (value, length): (Int32, socklen_t) = (0, 4)
        return (code(getsockopt(descriptor, level, name, &value, &length)), value)
    }

    func localAddress(_ descriptor: Int32) -> SocketAddress? {
        SocketAddress { address, length in getsockname(descriptor, address, &length) }
    }

    func remoteAddress(_ descriptor: Int32) -> SocketAddress? {
        SocketAddress { address, length in getpeername(descriptor, address, &length) }
    }

    func readableCount(_ descriptor: Int32) -> Int {
        var count: Int32 = 0
        return ioctl(descriptor, UInt(FIONREAD), &count) == 0 ? Int(count) : 0
    }

    func unsentCount(_ descriptor: Int32) -> Int {
        var count: Int32 = 0
        return ioctl(descriptor, UInt(TIOCOUTQ), &count) == 0 ? Int(count) : 0
    }

    func hasPeerEnded(_ descriptor: Int32) -> Bool {
        // POLLRDHUP, which Swift's Glibc lacks.
        let ended = Int16(0x2000)
        var entry = pollfd(fd: descriptor, events: ended, revents: 0)
        return poll(&entry, 1, 0) > 0 && entry.revents & (ended | Int16(POLLHUP | POLLERR)) != 0
    }

    /// Programs only ask whether there is a file, so its number is always 1.
    func file(at path: String) -> UInt64? { access(path, F_OK) == 0 ? 1 : nil }

    func removeFile(at path: String) { _ = unlink(path) }

    func removeDeadFile(at path: String) {}

    func resolve(
        _ host: String,
        port: UInt16,
        _ answer: @escaping @Sendable (Result<[SocketAddress], SocketError>) -> Void
    ) -> any Disposable {
        preconditionFailure("programs resolve no names")
    }
}
