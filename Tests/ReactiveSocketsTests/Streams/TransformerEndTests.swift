// SPDX-License-Identifier: MIT
import Glibc
import LoopTestSupport
import ReactiveCore
import ReactiveSignals
import SchedulerConformance
import Testing

@testable import ReactiveSockets

/// Forwards the first bytes and stores all later ones.
private struct Keeping: ConnectionTransformer {
    private(set) var heldCount = 0
    private var isFirst = true

    mutating func receive(_ bytes: Bytes, _ out: inout TransformedBytes) { out.toApplication(bytes) }

    mutating func send(_ bytes: Bytes, _ out: inout TransformedBytes) {
        if isFirst { out.toPeer(bytes) } else { heldCount += bytes.count }
        isFirst = false
    }
}

/// Counts the calls of `connectionEnded`.
private struct Counting: ConnectionTransformer {
    let ends: Box<Int>

    mutating func receive(_ bytes: Bytes, _ out: inout TransformedBytes) throws(SocketError) {
        if bytes == "fail" { throw SocketError(.malformed, "the test fails the connection") }
        out.toApplication(bytes)
    }

    mutating func send(_ bytes: Bytes, _ out: inout TransformedBytes) { out.toPeer(bytes) }

    mutating func connectionEnded() { ends.update { $0 += 1 } }
}

extension Sockets {
    @Suite struct TransformerEndTests {
        enum End: CaseIterable { case abort, close, failure, endOfStream }

        @Test("A transformer learns once that its connection has ended", arguments: LoopKind.all, End.allCases)
        func ended(_ kind: LoopKind, _ end: End) throws {
            let loop = try kind.make()
            let pair = SocketPair()
            defer { pair.close() }
            let ends = Box(0)
            let descriptor = fcntl(pair.near, F_DUPFD_CLOEXEC, 0)
            let connection = try Connection(adopting: descriptor, loop: loop, transformer: Counting(ends: ends))
            let ended = connection.ended.log()
            _ = connection.send(from: connection.received).log()
            try loop.turns(2)
            #expect(ends.value == 0)
            switch end {
            case .abort: connection.abort()
            case .close:
                connection.close()
                shutdown(pair.far, Int32(SHUT_WR))
            case .failure: Descriptor.put("fail", to: pair.far)
            case .endOfStream: shutdown(pair.far, Int32(SHUT_WR))
            }
            try loop.turns { ended.hasEnded }
            connection.abort()
            try loop.turns(2)
            #expect(ends.value == 1)
            withExtendedLifetime(connection) {}
        }

        @Test(
            "N13: a connection that a result's observer aborts is writable, even if its transformer keeps bytes",
            arguments: LoopKind.all
        )
        func endInsideResult(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let pair = SocketPair()
            defer { pair.close() }
            let connection = try Connection(
                adopting: fcntl(pair.near, F_DUPFD_CLOEXEC, 0),
                loop: loop,
                watermarks: Watermarks(high: 50),
                transformer: Keeping()
            )
            let first = connection.send(Bytes(noise(4_000_000)))
            let kept = connection.send(Bytes(noise(100))).log()
            let isAborted = Box(false)
            first.subscribe(
                onValue: { (_: Never) in },
                onTermination: { _ in
                    connection.abort()
                    isAborted.value = true
                }
            )
            try loop.turns {
                while Descriptor.take(from: pair.far) > 0 {}
                return isAborted.value
            }
            #expect(kept.code == .closed)
            #expect(connection.isWritable.value)
        }
    }
}
