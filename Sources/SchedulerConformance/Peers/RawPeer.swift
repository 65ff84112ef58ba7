// SPDX-License-Identifier: MIT
import Glibc
import ReactiveCore
package import ReactiveSockets
import ReactiveSupport

/// A stream peer that uses only system calls. It is nonblocking unless a test changes that.
///
/// Safe: the system calls receive arrays and local variables with their sizes, and keep no pointer.
package final class RawPeer: Sendable {
    /// The result of one read.
    package enum Read: Equatable, Sendable {
        case bytes([UInt8])
        case nothing
        case end
        case failed(Int32)
    }

    private let owned: OwnedDescriptor
    private let isBlocking = Lock(false)
    /// How often a call that would block is repeated on a simulated machine.
    private static let interval = Duration.microseconds(20)

    /// Connects. On this machine that does not require the server to accept.
    ///
    /// The call does not block, because a blocking call would consume the error if the server resets immediately. Here
    /// the first read reports the reset.
    package init(
        to address: SocketAddress,
        receiveBuffer: Int32 = 0,
        file: StaticString = #fileID,
        line: Int = #line
    ) throws {
        // A nonblocking Unix socket is refused if the server's queue is full. A blocking one waits.
        let descriptor = RawSocket.make(.stream, address.family, isBlocking: address.family == .unix)
        owned = OwnedDescriptor(descriptor, file: file, line: line)
        if receiveBuffer > 0 { RawSocket.set(descriptor, SOL_SOCKET, SO_RCVBUF, receiveBuffer) }
        var code = RawSocket.connect(descriptor, to: address)
        // On a simulated machine no call blocks, so the attempt is repeated.
        while code != 0, errno == EAGAIN, Platform.simulated != nil {
            Platform.pause(Self.interval)
            code = RawSocket.connect(descriptor, to: address)
        }
        guard code == 0 || errno == EINPROGRESS else {
            throw Broken("the system connects to \(address)", "errno \(errno)")
        }
        try waitUntilConnected(to: address)
        if address.family != .unix { RawSocket.sendWithoutDelay(descriptor) }
        setBlocking(false)
    }

    /// Wraps a connected socket.
    package init(_ descriptor: Int32, file: StaticString = #fileID, line: Int = #line) {
        owned = OwnedDescriptor(descriptor, file: file, line: line)
    }

    /// Blocks until a peer connects to a TCP listener.
    package static func accepted(by listener: Int32) -> RawPeer {
        let descriptor = accept(by: listener)
        RawSocket.sendWithoutDelay(descriptor)
        return RawPeer(descriptor)
    }

    static func accept(by listener: Int32) -> Int32 {
        guard let machine = Platform.simulated else { return acceptPrivately(listener) }
        while true {
            let (result, _) = machine.accept(listener)
            if result != -EAGAIN { return result }
            Platform.pause(interval)
        }
    }

    /// Takes a connection from a nonblocking listener of this machine. Returns `nil` if none waits.
    package static func waiting(at listener: Int32) -> RawPeer? {
        let descriptor = acceptPrivately(listener)
        guard descriptor >= 0 else { return nil }
        let peer = RawPeer(descriptor)
        peer.setBlocking(false)
        return peer
    }

    /// Accepts a connection that programs of other tests do not inherit. Their copy would keep it open.
    private static func acceptPrivately(_ listener: Int32) -> Int32 {
        let descriptor = Glibc.accept(listener, nil, nil)
        if descriptor >= 0 { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        return descriptor
    }

    package var descriptor: Int32 { owned.number }

    package func setBlocking(_ isBlocking: Bool) {
        self.isBlocking.withLock { $0 = isBlocking }
        Descriptor.setBlocking(descriptor, isBlocking)
        // A call that blocks forever would hang all tests of the process.
        if isBlocking { RawSocket.limitReceiving(descriptor, seconds: Latch.limit) }
    }

    private func waitUntilConnected(to address: SocketAddress) throws {
        if let machine = Platform.simulated {
            while !machine.readiness(descriptor).contains(.write) { Platform.pause(Self.interval) }
            return
        }
        guard Descriptor.wait(for: descriptor, POLLOUT) else {
            throw Broken("the system connects to \(address)", "no answer within \(Latch.limit) s")
        }
    }

    /// Repeats a call that blocks on the real system, and that a simulated machine refuses with `EAGAIN`.
    private func repeated(_ call: () -> Int) -> Int {
        while true {
            let count = call()
            if count >= 0 || errno != EAGAIN || !isBlocking.withLock({ $0 }) || Platform.simulated == nil {
                return count
            }
            Platform.pause(Self.interval)
        }
    }

    /// Sends until the send buffer is full. Returns the number of bytes sent.
    @discardableResult
    package func send(_ bytes: some Collection<UInt8>) -> Int {
        let bytes = Array(bytes)
        return max(0, repeated { Descriptor.send(bytes, to: descriptor) })
    }

    /// Sends all bytes, blocking. Returns `false` if a send fails.
    @discardableResult
    package func sendAll(_ bytes: [UInt8]) -> Bool {
        setBlocking(true)
        var sent = 0
        while sent < bytes.count {
            let count = send(bytes[sent...])
            if count == 0 { return false }
            sent += count
        }
        return true
    }

    /// The number of sent bytes that the other side's system has not acknowledged.
    package var unsentCount: Int {
        if let machine = Platform.simulated { return machine.unsentCount(descriptor) }
        var count: Int32 = 0
        return unsafe ioctl(descriptor, UInt(TIOCOUTQ), &count) == 0 ? Int(count) : 0
    }

    package func receive(_ limit: Int = 65536) -> Read {
        var memory = [UInt8](repeating: 0, count: limit)
        let count = repeated {
            if let machine = Platform.simulated {
                return unsafe memory.withUnsafeMutableBytes { memory in
                    unsafe Descriptor.counted(machine.receive(descriptor, memory, peeks: false))
                }
            }
            return unsafe recv(descriptor, &memory, limit, 0)
        }
        if count > 0 { return .bytes(Array(memory[..<count])) }
        if count == 0 { return .end }
        return errno == EAGAIN ? .nothing : .failed(errno)
    }

    /// Blocks until the stream ends or fails. Returns all bytes, and the last result.
    package func receiveAll() -> (bytes: [UInt8], end: Read) {
        setBlocking(true)
        var all: [UInt8] = []
        while true {
            switch receive() {
            case .bytes(let bytes): all += bytes
            case let end: return (all, end)
            }
        }
    }

    package func finish() { Descriptor.endSending(descriptor) }

    /// Closes the descriptor so that the other side receives a reset.
    package func reset() {
        RawSocket.resetOnClose(descriptor)
        // A child of another test may have a copy for a moment, which would delay the reset of a close.
        RawSocket.disconnect(descriptor)
        close()
        // Inside a real machine the reset arrives immediately. On a simulated one it takes time.
        if Platform.simulated != nil { Platform.pause(.milliseconds(1)) }
    }

    package func close() { owned.close() }
}
