// SPDX-License-Identifier: MIT
import Glibc
import LoopTestSupport
import ReactiveCore
import ReactiveSignals
import ReactiveSockets
import SchedulerConformance
import SchedulerEngine
import Testing

/// Replies to each byte with twenty bytes.
private struct Replying: ConnectionTransformer {
    static let ratio = 20

    mutating func receive(_ bytes: Bytes, _ out: inout TransformedBytes) {
        out.toApplication(bytes)
        out.toPeer(Bytes([UInt8](repeating: 1, count: bytes.count * Self.ratio)))
    }

    mutating func send(_ bytes: Bytes, _ out: inout TransformedBytes) { out.toPeer(bytes) }
}

extension Sockets {
    @Suite struct TransformerReplyTests {
        /// Creates a connection with a transformer, and its peer. The caller disposes the loop.
        private func open(
            _ kind: LoopKind,
            _ transformer: some ConnectionTransformer
        ) throws -> (any LoopScheduler, RawPeer, Connection) {
            let loop = try kind.make()
            let (own, other) = Descriptor.sockets()
            // The test counts the bytes in the kernel's send buffer, which is twice this size.
            RawSocket.set(own, SOL_SOCKET, SO_SNDBUF, 100_000)
            let connection = try Connection(
                adopting: own,
                loop: loop,
                watermarks: Watermarks(high: 10_000),
                transformer: transformer
            )
            return (loop, RawPeer(other), connection)
        }

        @Test(
            "Replies of a transformer that the peer does not read stop the connection from receiving",
            arguments: LoopKind.all
        )
        func bound(kind: LoopKind) throws {
            let (loop, peer, connection) = try open(kind, Replying())
            defer { loop.dispose() }
            let received = Box(0)
            connection.received.subscribe(
                onValue: { bytes in received.update { $0 += bytes.count } },
                onTermination: { _ in }
            )
            let total = 200_000
            var sent = 0
            for _ in 0..<400 where sent < total {
                sent += peer.send([UInt8](repeating: 2, count: min(1000, total - sent)))
                try loop.turns(1)
            }
            // The kernel's buffer, the watermark, and one read.
            #expect(received.value < 60_000)
            var replies = 0
            try loop.turns {
                if sent < total { sent += peer.send([UInt8](repeating: 2, count: total - sent)) }
                if case .bytes(let bytes) = peer.receive() { replies += bytes.count }
                return replies == total * Replying.ratio
            }
            #expect(received.value == total)
            connection.abort()
            peer.close()
        }

        @Test("Bytes that wait for the transformer do not stop the connection from receiving", arguments: LoopKind.all)
        func held(kind: LoopKind) throws {
            let (loop, peer, connection) = try open(kind, Holding())
            defer { loop.dispose() }
            let received = Box(0)
            connection.received.subscribe(
                onValue: { bytes in received.update { $0 += bytes.count } },
                onTermination: { _ in }
            )
            let total = 2_000_000
            connection.send(Bytes([UInt8](repeating: 1, count: total)))
            // The peer reads nothing before it has sent everything.
            var sent = 0
            try loop.turns {
                if sent < total { sent += peer.send([UInt8](repeating: 2, count: total - sent)) }
                return received.value == total
            }
            var read = 0
            try loop.turns {
                if case .bytes(let bytes) = peer.receive() { read += bytes.count }
                return read == total
            }
            connection.abort()
            peer.close()
        }

        @Test("A close drops transformed bytes that wait for a paused receiver", arguments: LoopKind.all)
        func close(kind: LoopKind) throws {
            let (loop, peer, connection) = try open(kind, Doubling())
            defer { loop.dispose() }
            let log = Log<Bytes, SocketError>()
            let pause = Box<(any Disposable)?>(nil)
            connection.received.subscribe(
                in: log.subscription,
                onValue: { bytes in
                    log.take(bytes)
                    pause.value = log.subscription.pause()
                },
                onTermination: { log.take(end: $0) }
            )
            peer.send([7])
            try loop.turns { !log.values.isEmpty }
            connection.close()
            pause.value?.dispose()
            peer.close()
            try loop.turns { log.hasEnded }
            try loop.turns(3)
            #expect(log.bytes == [7] && log.code == .closed)
        }
    }
}

/// Delivers each chunk twice.
private struct Doubling: ConnectionTransformer {
    mutating func receive(_ bytes: Bytes, _ out: inout TransformedBytes) {
        out.toApplication(bytes)
        out.toApplication(bytes)
    }

    mutating func send(_ bytes: Bytes, _ out: inout TransformedBytes) { out.toPeer(bytes) }
}

/// Holds the bytes of the application until the peer has sent something, as a handshake does.
private struct Holding: ConnectionTransformer {
    private var held: [Bytes] = []
    private var isOpen = false

    var heldCount: Int { held.reduce(0) { sum, bytes in sum + bytes.count } }

    mutating func receive(_ bytes: Bytes, _ out: inout TransformedBytes) {
        isOpen = true
        for bytes in held { out.toPeer(bytes) }
        held = []
        out.toApplication(bytes)
    }

    mutating func send(_ bytes: Bytes, _ out: inout TransformedBytes) {
        if isOpen { out.toPeer(bytes) } else { held.append(bytes) }
    }
}
