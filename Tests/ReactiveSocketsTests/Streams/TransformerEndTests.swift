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

extension Sockets {
    @Suite struct TransformerEndTests {
        @Test(
            "N13: a connection that a result's observer aborts is writable, even if its transformer keeps bytes",
            arguments: LoopKind.all
        )
        func endInsideResult(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let pair = SocketPair()
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
