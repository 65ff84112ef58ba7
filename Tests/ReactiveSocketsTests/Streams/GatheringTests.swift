// SPDX-License-Identifier: MIT
import Glibc
import LoopTestSupport
import ReactiveCore
import ReactiveSignals
import ReactiveSupport
import SchedulerConformance
import Testing

@testable import ReactiveSockets

extension Sockets {
    /// Gathered writes, observed from outside: a sequenced-packet Unix socket preserves the boundaries of calls.
    @Suite struct GatheringTests {
        /// A connection over a socket that keeps the bytes of each call separate, and the far end.
        private func bordered(
            _ loop: any LoopScheduler,
            _ watermarks: Watermarks = Watermarks()
        ) -> (connection: Connection, far: Int32) {
            let (near, far) = pair(.sequencedPacket)
            return (Connection(near, in: ConnectionContext(loop, watermarks, nil), to: nil), far)
        }

        private func pair(_ kind: SocketKind) -> (near: SystemSocket, far: Int32) {
            let (near, far) = Descriptor.sockets(kind)
            return (SystemSocket(descriptor: near), far)
        }

        private func calls(_ descriptor: Int32) -> [String] {
            var all: [String] = []
            var memory = [UInt8](repeating: 0, count: 1 << 20)
            while true {
                let count = read(descriptor, &memory, memory.count)
                if count <= 0 { return all }
                all.append(String(decoding: memory.prefix(count), as: UTF8.self))
            }
        }

        @Test("Sends inside a delivery are written in one call after it", arguments: LoopKind.all)
        func delivery(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let (connection, far) = bordered(loop)
            connection.received.subscribe(
                onValue: { bytes in for byte in bytes { connection.send(Bytes([byte])) } },
                onTermination: { _ in }
            )
            Descriptor.put("abcdef", to: far)
            try loop.turns(3)
            #expect(calls(far) == ["abcdef"])
            connection.abort()
            try loop.turns(2)
            close(far)
            loop.dispose()
        }

        @Test("The first send of a turn is written immediately, and the others in one call", arguments: LoopKind.all)
        func turn(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let (connection, far) = bordered(loop)
            let seen = Recorder<[String]>()
            loop.execute {
                for text in ["a", "b", "c", "d"] { connection.send(Bytes(text)) }
                seen.append(calls(far))
            }
            try loop.turns(3)
            seen.append(calls(far))
            #expect(seen.values == [["a"], ["bcd"]])
            // In the next turn, the first send is written at once again.
            loop.execute { connection.send("e") }
            try loop.turns(1)
            #expect(calls(far) == ["e"])
            connection.abort()
            try loop.turns(2)
            close(far)
            loop.dispose()
        }

        @Test(
            "A large send does not wait, and is written together with the earlier waiting ones",
            arguments: LoopKind.all
        )
        func large(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let (connection, far) = bordered(loop)
            let seen = Box<[Int]>([])
            loop.execute {
                connection.send("a")
                connection.send("b")
                connection.send(Bytes([UInt8](repeating: 120, count: 20_000)))
                seen.value = calls(far).map(\.count)
            }
            try loop.turns(2)
            #expect(seen.value == [1, 20_001])
            connection.abort()
            try loop.turns(2)
            close(far)
            loop.dispose()
        }

        @Test("N10: gathering stops at the high watermark", arguments: LoopKind.all)
        func watermarks(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let (connection, far) = bordered(loop, Watermarks(high: 4, low: 1))
            let seen = Box<[String]>([])
            loop.execute {
                for text in ["a", "bc", "de", "f"] { connection.send(Bytes(text)) }
                seen.value = calls(far)
            }
            try loop.turns(1)
            #expect(seen.value == ["a", "bcde"])
            try loop.turns(2)
            #expect(calls(far) == ["f"])
            connection.abort()
            try loop.turns(2)
            close(far)
            loop.dispose()
        }

        @Test("N8, N9: small writes beyond the size of one call reach a slow reader in order", arguments: LoopKind.all)
        func many(_ kind: LoopKind) throws {
            let server = try TestServer(kind)
            let (client, connection) = try server.connect(receiveBuffer: 2048)
            server.loop.execute { try? connection.setOption(SocketOption.sendBufferSize(4096)) }
            let pieces = (0..<20_000).map { Array("\($0) ".utf8) }
            let ends = Recorder<Int>()
            server.loop.execute {
                for (number, piece) in pieces.enumerated() {
                    let sent = connection.send(Bytes(piece))
                    if number % 1000 == 999 { sent.subscribe(onTermination: { _ in ends.append(number) }) }
                }
            }
            connection.finishSending()
            let (all, end) = try server.receiveToEnd(at: client)
            #expect(all == pieces.flatMap { $0 } && end == .end)
            #expect(ends.values == (0..<20).map { $0 * 1000 + 999 })
            connection.abort()
            try server.expectNothingLeft(after: client)
        }

        @Test("An abort drops gathered sends, and a close sends them", arguments: LoopKind.all)
        func ending(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let (aborted, far) = bordered(loop)
            loop.execute {
                for _ in 0..<3 { aborted.send("x") }
                aborted.abort()
            }
            try loop.turns(3)
            #expect(calls(far) == ["x"])
            close(far)
            let (closed, other) = bordered(loop)
            loop.execute {
                for _ in 0..<3 { closed.send("y") }
                closed.close()
            }
            try loop.turns(3)
            #expect(calls(other) == ["y", "yy"])
            close(other)
            try loop.turns(3)
            loop.dispose()
        }

        private func name(of end: Termination<SocketError>) -> String {
            if case .failed(let error) = end { "\(error.code)" } else { "sent" }
        }

        enum Ending: CaseIterable { case finish, close, abort, none }

        @Test(
            "A one-buffer reply is sent before a close, and dropped by an abort",
            arguments: LoopKind.all,
            Ending.allCases
        )
        func answer(_ kind: LoopKind, _ ending: Ending) throws {
            let loop = try kind.make()
            let (connection, far) = bordered(loop)
            let trace = Recorder<String>()
            connection.received.subscribe(
                onValue: { bytes in
                    connection.send(bytes).subscribe(onTermination: { end in trace.append(name(of: end)) })
                    switch ending {
                    case .finish: connection.finishSending()
                    case .close: connection.close()
                    case .abort: connection.abort()
                    case .none: break
                    }
                    trace.append("answered")
                },
                onTermination: { _ in }
            )
            Descriptor.put("question", to: far)
            try loop.turns(3)
            let isSent = ending != .abort
            #expect(calls(far) == (isSent ? ["question"] : []))
            #expect(trace.values == (isSent ? ["answered", "sent"] : ["closed", "answered"]))
            connection.abort()
            try loop.turns(2)
            close(far)
            loop.dispose()
        }

        @Test(
            "A one-buffer reply to a full send buffer is sent later, behind the earlier bytes",
            arguments: LoopKind.all
        )
        func blockedAnswer(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let (near, far) = pair(.stream)
            let filler = [UInt8](repeating: 0, count: 4096)
            var filled = 0
            while case .count(let count) = filler.withUnsafeBytes({ near.send($0) }) { filled += count }
            let connection = Connection(near, in: ConnectionContext(loop, Watermarks(high: 100, low: 1), nil), to: nil)
            let trace = Recorder<String>()
            connection.received.subscribe(
                onValue: { bytes in
                    connection.send(bytes).subscribe(onTermination: { end in trace.append(name(of: end)) })
                    trace.append("answered")
                },
                onTermination: { _ in }
            )
            Descriptor.put("a question", to: far)
            try loop.turns(3)
            #expect(trace.values == ["answered"])
            var rest = filled
            while rest > 0 { rest -= Descriptor.take(rest, from: far) }
            try loop.turns(3)
            #expect(calls(far) == ["a question"] && trace.values == ["answered", "sent"])
            connection.abort()
            try loop.turns(2)
            close(far)
            loop.dispose()
        }
    }
}
