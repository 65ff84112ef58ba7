import Foundation
import Glibc
import ReactiveSupport

@testable import ReactiveSockets

/// A datagram socket that is nobody's library: a descriptor and the system's calls. It does not block.
final class RawDatagrams: Sendable {
    let descriptor: Int32
    private let isOpen = Lock(true)

    init(at address: SocketAddress) {
        let domain =
            switch address.family {
            case .ipv4: AF_INET
            case .ipv6: AF_INET6
            case .unix: AF_UNIX
            }
        let type = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        descriptor = socket(domain, type, 0)
        precondition(descriptor >= 0, "socket: \(errno)")
        let code = address.withSockaddr { bind(descriptor, $0, $1) }
        precondition(code == 0, "bind: \(errno)")
    }

    deinit { close() }

    var address: SocketAddress {
        SocketAddress { getsockname(descriptor, $0, &$1) } ?? SocketAddress(family: .unix, bytes: [])
    }

    @discardableResult
    func send(_ bytes: some Collection<UInt8>, to peer: SocketAddress) -> Int {
        let bytes = Array(bytes)
        return peer.withSockaddr { sendto(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL), $0, $1) }
    }

    /// The next one, if there is one.
    func receive() -> [UInt8]? {
        var memory = [UInt8](repeating: 0, count: 200_000)
        let count = recv(descriptor, &memory, memory.count, 0)
        return count >= 0 ? Array(memory[..<count]) : nil
    }

    func close() {
        let wasOpen = isOpen.withLock { isOpen in
            defer { isOpen = false }
            return isOpen
        }
        if wasOpen { _ = Glibc.close(descriptor) }
    }
}

/// A pair of datagram sockets that are connected to each other, and do not block.
func datagramPair() -> (Int32, Int32) {
    var ends: [Int32] = [-1, -1]
    let type = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    precondition(socketpair(AF_UNIX, type, 0, &ends) == 0, "socketpair: \(errno)")
    return (ends[0], ends[1])
}

/// Which descriptors of the process are datagram sockets: nobody else's tests have any, but for Foundation's two.
func datagramDescriptors() -> Set<Int32> {
    foundationsSockets
    return Set(
        (0..<Int32(2048)).filter { descriptor in
            var type: Int32 = 0
            var length = socklen_t(MemoryLayout<Int32>.size)
            return getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &length) == 0
                && type == Int32(SOCK_DGRAM.rawValue)
        }
    )
}

/// Foundation opens them when a `Process` first runs, as tests that start programs do; they are counted from the beginning.
private let foundationsSockets: Void = {
    do {
        try Process.run(URL(fileURLWithPath: "/bin/true"), arguments: []).waitUntilExit()
    } catch {
        preconditionFailure("\(error)")
    }
}()

/// A name outside the file system that no other test has.
func abstractName(_ suffix: String = "") -> SocketAddress {
    do {
        return try .abstract("swift-reactive-test-\(getpid())-\(names.increment())\(suffix)")
    } catch {
        preconditionFailure("\(error)")
    }
}

private let names = Counter()

private final class Counter: Sendable {
    private let count = Lock(0)

    func increment() -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }
}
