// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSupport

/// A peer that has been accepted, and whose PROXY header is not complete. Every member is called on the loop.
///
/// It consumes exactly the bytes of the header, so the connection begins with the next byte of the stream.
final class ProxiedArrival: LoopBound {
    /// How many bytes are read at once. Usual headers are shorter.
    private static let chunkSize = 1024

    let socket: SystemSocket
    let peer: SocketAddress?
    let loop: any LoopScheduler
    private let listener: ProxiedArrivals
    private var parser: ProxyHeaderParser
    private var watch: (any DescriptorWatch)?
    private var deadline: (any Disposable)?
    private var isWaiting = true

    init(_ socket: SystemSocket, _ peer: SocketAddress?, _ listener: ProxiedArrivals) {
        self.socket = socket
        self.peer = peer
        self.listener = listener
        loop = listener.loop
        parser = ProxyHeaderParser(limit: listener.proxies.maximumHeaderSize)
    }

    /// Reads what has arrived. If the header is not complete, waits for the rest.
    func start() {
        readSome()
        guard isWaiting else { return }
        do {
            watch = try watchDescriptor(socket.descriptor, for: .read) { arrival, _ in arrival.readSome() }
        } catch {
            return reject(ProxyProtocolError(.loop, "the loop cannot watch the connection of the proxy: \(error)"))
        }
        let arrival = UnsafeTransfer(self)
        let limit = listener.proxies.headerTimeout
        deadline = loop.schedule(after: limit) {
            arrival.value.reject(ProxyProtocolError(.timedOut, "the PROXY header was not complete within \(limit)"))
        }
    }

    /// Resets the peer, as the listener does. A loop that is disposed releases either of them first.
    func abandon() {
        drop()
        listener.forget(self)
    }

    /// Resets the peer without a report.
    func drop() {
        if end() { socket.closeWithReset() }
    }

    private func readSome() {
        guard isWaiting else { return }
        do throws(ProxyProtocolError) {
            guard let chunk = try peek() else { return }
            let (header, count) = try parser.parse(chunk)
            try consume(count)
            guard let header, end() else { return }
            listener.completed(self, header)
        } catch {
            reject(error)
        }
    }

    private func reject(_ error: ProxyProtocolError) {
        guard end() else { return }
        socket.closeWithReset()
        listener.rejected(self, error)
    }

    /// Stops waiting. Returns false if it had stopped before.
    private func end() -> Bool {
        guard isWaiting else { return false }
        isWaiting = false
        watch?.dispose()
        deadline?.dispose()
        (watch, deadline) = (nil, nil)
        return true
    }

    // MARK: Reading

    /// The bytes that have arrived, which stay in the kernel. `nil` means none.
    private func peek() throws(ProxyProtocolError) -> Bytes? {
        let socket = socket
        var outcome = SystemSocket.Outcome.wouldBlock
        let bytes = unsafe Bytes(capacity: Self.chunkSize) { memory in
            outcome = unsafe socket.receive(memory, peeks: true)
            if case .count(let count) = outcome { return count }
            return 0
        }
        switch outcome {
        case .count(0): throw Self.incomplete("the stream has ended")
        case .count: return bytes
        case .wouldBlock: return nil
        case .failed(let code): throw Self.incomplete(SocketError.system("cannot receive", code).message)
        }
    }

    /// Removes bytes of the header from the kernel. They have been peeked at, so the kernel has them.
    private func consume(_ count: Int) throws(ProxyProtocolError) {
        let socket = socket
        var left = count
        while left > 0 {
            let outcome = unsafe withUnsafeTemporaryAllocation(byteCount: left, alignment: 1) { memory in
                unsafe socket.receive(memory)
            }
            guard case .count(let count) = outcome, count > 0 else {
                throw Self.incomplete("the kernel has not returned bytes that it had announced")
            }
            left -= count
        }
    }

    private static func incomplete(_ reason: String) -> ProxyProtocolError {
        ProxyProtocolError(.incomplete, "the PROXY header is not complete: \(reason)")
    }
}
