// SPDX-License-Identifier: MIT
import Glibc
import LoopTestSupport
import ReactiveCore
import ReactiveSignals
import ReactiveSupport
import SchedulerConformance
import Testing

@testable import ReactiveSockets

/// Encodes each send as one record in three parts, like an encryption, and delivers each received byte separately.
private struct Numbering: ConnectionTransformer {
    private var next: UInt8 = 0

    mutating func receive(_ bytes: Bytes, _ out: inout TransformedBytes) {
        for byte in bytes { out.toApplication(Bytes([byte])) }
    }

    mutating func send(_ bytes: Bytes, _ out: inout TransformedBytes) {
        for count in [9000, 9000, 1] { out.toPeer(Bytes([UInt8](repeating: next, count: count))) }
        next += 1
    }
}

extension Sockets {
    @Suite struct TransformerOrderTests {
        private func pair(
            _ loop: any LoopScheduler,
            _ watermarks: Watermarks = Watermarks()
        ) throws -> (connection: Connection, far: Int32) {
            let (near, far) = Descriptor.sockets()
            let connection = try Connection(
                adopting: near,
                loop: loop,
                watermarks: watermarks,
                transformer: Numbering()
            )
            return (connection, far)
        }

        @Test(
            "Sends by observers of results and watermarks do not split a record",
            arguments: LoopKind.all,
            [false, true]
        )
        func parts(_ kind: LoopKind, _ isWatermark: Bool) throws {
            let loop = try kind.make()
            let (connection, far) = try pair(loop, Watermarks(high: 20_000))
            let left = Box(40)
            @Sendable func more() {
                guard
                    left.update({ left in
                        left -= 1
                        return left >= 0
                    })
                else { return }
                connection.send("x").subscribe(onTermination: { _ in more() })
            }
            if isWatermark {
                connection.isWritable.signal.subscribe(onValue: { isWritable in if !isWritable { more() } })
            }
            loop.execute { for _ in 0..<5 { more() } }
            var all: [UInt8] = []
            var memory = [UInt8](repeating: 0, count: 65536)
            try loop.turns(3)
            try loop.turns {
                let count = read(far, &memory, memory.count)
                if count > 0 { all += memory[..<count] }
                // The watermark sends further data only while the peer reads.
                return left.value < 0 && all.count % 18001 == 0 && !connection.core.value.sending.isBlocked && count < 0
            }
            #expect(all == all.sorted())
            connection.abort()
            try loop.turns(2)
            close(far)
            loop.dispose()
        }

        @Test(
            "Transformed bytes for a receiver that another thread disposes are delivered to the next one",
            arguments: LoopKind.all
        )
        func nextReceiver(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let (connection, far) = try pair(loop)
            let first = Log<Bytes, SocketError>()
            connection.received.subscribe(
                in: first.subscription,
                onValue: { bytes in
                    first.take(bytes)
                    guard first.values.count == 3 else { return }
                    do {
                        try TestThread { first.subscription.dispose() }.join()
                    } catch {
                        Issue.record(error)
                    }
                },
                onTermination: { first.take(end: $0) }
            )
            try loop.turns(2)
            Descriptor.put("abcdefgh", to: far)
            try loop.turns { first.values.count >= 3 }
            try loop.turns(3)
            let second = connection.received.log()
            Descriptor.put("ij", to: far)
            try loop.turns { (first.bytes + second.bytes).count >= 10 || second.bytes.last == UInt8(ascii: "j") }
            #expect(String(Bytes(first.bytes)) == "abc")
            #expect(String(Bytes(second.bytes)) == "defghij")
            connection.abort()
            try loop.turns(2)
            close(far)
            loop.dispose()
        }
    }
}
