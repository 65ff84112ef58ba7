// SPDX-License-Identifier: MIT
import CReactive
import Glibc
import ReactiveSupport

/// Sends and receives messages of a hand-over on a nonblocking socket, and blocks the thread until a deadline.
///
/// Safe: the system's functions receive sized memory, and keep no pointer.
struct BlockingExchange {
    private let socket: SystemSocket
    private let operation: String
    private let limit: Duration
    private let deadline: ContinuousClock.Instant

    init(_ socket: SystemSocket, _ operation: String, _ limit: Duration) {
        self.socket = socket
        self.operation = operation
        self.limit = limit
        deadline = ContinuousClock.now + limit
    }

    func send(_ frame: HandoverFrame) throws(SocketError) {
        var rest = frame.encoded[...]
        while !rest.isEmpty {
            let outcome = unsafe rest.withUnsafeBytes { memory in unsafe socket.send(memory) }
            switch outcome {
            case .count(let count): rest = rest.dropFirst(count)
            case .wouldBlock: try wait(Int16(POLLOUT))
            case .failed(let code): throw SocketError.system(operation, code)
            }
        }
    }

    /// Receives one message and its descriptors, which the caller closes.
    func receive() throws(SocketError) -> (frame: HandoverFrame, descriptors: [Int32]) {
        var (stream, descriptors): ([UInt8], [Int32]) = ([], [])
        do throws(SocketError) {
            while true {
                if let frame = try HandoverFrame.parse(stream) { return (frame, descriptors) }
                try receive(&stream, &descriptors)
            }
        } catch {
            for descriptor in descriptors { close(descriptor) }
            throw error
        }
    }

    private func receive(_ stream: inout [UInt8], _ descriptors: inout [Int32]) throws(SocketError) {
        var numbers = [Int32](repeating: -1, count: HandoverFrame.socketLimit)
        var (count, isTruncated) = (numbers.count, false)
        var code: Int32 = 0
        let chunk = unsafe [UInt8](unsafeUninitializedCapacity: 4096) { memory, length in
            let start = UnsafeMutableRawPointer(memory.baseAddress!)
            let result = unsafe reactive_receive_descriptors(
                socket.descriptor,
                start,
                memory.count,
                &numbers,
                &count,
                &isTruncated
            )
            if result < 0 { code = errno }
            length = max(0, result)
        }
        if code == 0 { descriptors += numbers.prefix(count) }
        switch code {
        case 0 where isTruncated:
            throw SocketError(.outOfDescriptors, "\(operation): this process has no free descriptors for the sockets")
        case 0 where descriptors.count > HandoverFrame.socketLimit:
            throw HandoverFrame.malformed("too many sockets arrived")
        case 0 where chunk.isEmpty:
            throw SocketError(.reset, "\(operation): it has refused, or it has ended")
        case 0: stream += chunk
        case EAGAIN: try wait(Int16(POLLIN))
        case EINTR: break
        default: throw SocketError.system(operation, code)
        }
    }

    private func wait(_ events: Int16) throws(SocketError) {
        let left = deadline - .now
        guard left > .zero else { throw SocketError(.timedOut, "\(operation) within \(limit)") }
        let milliseconds = min(left / .milliseconds(1) + 1, 1_000)
        var entry = pollfd(fd: socket.descriptor, events: events, revents: 0)
        // After an interruption, the caller tries again and checks the deadline.
        _ = unsafe poll(&entry, 1, Int32(milliseconds))
    }
}
