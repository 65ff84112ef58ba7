// SPDX-License-Identifier: MIT
import Glibc
import LoopTestSupport
import ReactiveCore
import ReactiveSignals
import ReactiveSupport
import SchedulerConformance
import Testing

@testable import ReactiveSockets

/// Converts received bytes to upper case, byte by byte.
private struct UpperCase: ConnectionTransformer {
    mutating func receive(_ bytes: Bytes, _ out: inout TransformedBytes) {
        out.toApplication(Bytes(bytes.map { (97...122).contains($0) ? $0 - 32 : $0 }))
    }

    mutating func send(_ bytes: Bytes, _ out: inout TransformedBytes) { out.toPeer(bytes) }
}

/// Sends blocks of four bytes, in which each byte is doubled on the wire, after a greeting and before a full stop. It
/// stores incomplete blocks, and rejects input that is not doubled.
private struct Doubling: ConnectionTransformer {
    private var outgoing: [UInt8] = []
    private var incoming: [UInt8] = []
    private var isGreeted = false

    var heldCount: Int { outgoing.count }

    mutating func begin(_ out: inout TransformedBytes) { out.toPeer("!!") }

    mutating func receive(_ bytes: Bytes, _ out: inout TransformedBytes) throws(SocketError) {
        incoming += bytes
        while incoming.count >= 2 {
            guard incoming[0] == incoming[1] else {
                out.toPeer("??")
                throw SocketError(.malformed, "\(incoming[0]) is followed by \(incoming[1])")
            }
            let byte = incoming[0]
            incoming.removeFirst(2)
            // Each byte is a separate chunk, so there are more chunks than were received.
            if isGreeted { out.toApplication(Bytes([byte])) }
            isGreeted = true
        }
    }

    mutating func receiveEnd(_ out: inout TransformedBytes) throws(SocketError) {
        if !incoming.isEmpty { throw SocketError(.incompleteFrame, "half a byte is missing") }
        out.toApplication(".")
    }

    mutating func send(_ bytes: Bytes, _ out: inout TransformedBytes) {
        outgoing += bytes
        let whole = outgoing.count / 4 * 4
        out.toPeer(Bytes(outgoing[..<whole].flatMap { [$0, $0] }))
        outgoing.removeFirst(whole)
    }

    mutating func finishSending(_ out: inout TransformedBytes) {
        out.toPeer(Bytes(outgoing.flatMap { [$0, $0] }))
        outgoing = []
    }
}

extension Sockets {
    @Suite struct TransformerTests {
        private func pair(
            _ loop: any LoopScheduler,
            _ transformer: some ConnectionTransformer
        ) throws -> (connection: Connection, far: Int32) {
            let (near, far) = Descriptor.sockets()
            return (try Connection(adopting: near, loop: loop, transformer: transformer), far)
        }

        private func text(from descriptor: Int32) -> String {
            var memory = [UInt8](repeating: 0, count: 65536)
            let count = read(descriptor, &memory, memory.count)
            return String(decoding: memory.prefix(max(0, count)), as: UTF8.self)
        }

        @Test("An upper-case transformer changes an echo, and forwards the end of the stream", arguments: LoopKind.all)
        func upperCase(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let (connection, far) = try pair(loop, UpperCase())
            connection.send(from: connection.received)
            Descriptor.put("hello, ", to: far)
            Descriptor.put("world", to: far)
            shutdown(far, Int32(SHUT_WR))
            var answer = ""
            try loop.turns {
                answer += text(from: far)
                return answer.count == 12
            }
            #expect(answer == "HELLO, WORLD")
            try loop.turns { Descriptor.take(from: far) == 0 }
            close(far)
            loop.dispose()
        }

        @Test(
            "A transformer may expand and store bytes: each block is sent when complete, the rest at the end",
            arguments: LoopKind.all
        )
        func expanding(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let (connection, far) = try pair(loop, Doubling())
            let (six, two) = (connection.send("abcdef").log(), connection.send("g").log())
            try loop.turns(4)
            #expect(text(from: far) == "!!aabbccdd")
            // The transformer still stores a part of it.
            #expect(six.ends.isEmpty && two.ends.isEmpty)
            connection.send("h")
            try loop.turns { six.isCompleted && two.isCompleted }
            #expect(text(from: far) == "eeffgghh")
            let last = connection.send("xyz").log()
            connection.finishSending()
            try loop.turns { last.isCompleted }
            #expect(text(from: far) == "xxyyzz")
            try loop.turns { Descriptor.take(from: far) == 0 }
            close(far)
            loop.dispose()
        }

        @Test(
            "N11: a pause between two chunks from one read delays the second chunk and the end",
            arguments: LoopKind.all
        )
        func pausing(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let (connection, far) = try pair(loop, Doubling())
            let log = Log<Bytes, SocketError>()
            let hold = Box<(any Disposable)?>(nil)
            connection.received.subscribe(
                in: log.subscription,
                onValue: { bytes in
                    log.take(bytes)
                    if log.values.count == 2 { hold.value = log.subscription.pause() }
                },
                onTermination: { log.take(end: $0) }
            )
            Descriptor.put("!!aabbccdd", to: far)
            shutdown(far, Int32(SHUT_WR))
            try loop.turns { log.values.count == 2 }
            try loop.turns(10)
            #expect(log.values == ["a", "b"] && !log.hasEnded)
            hold.value?.dispose()
            try loop.turns { log.hasEnded }
            #expect(log.values == ["a", "b", "c", "d", "."] && log.isCompleted)
            connection.abort()
            try loop.turns(2)
            close(far)
            loop.dispose()
        }

        @Test("The next receiver gets the chunks that a stopped one has left", arguments: LoopKind.all)
        func handedOn(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let (connection, far) = try pair(loop, Doubling())
            let first = Log<Bytes, SocketError>()
            connection.received.subscribe(
                in: first.subscription,
                onValue: { bytes in
                    first.take(bytes)
                    first.subscription.dispose()
                },
                onTermination: { first.take(end: $0) }
            )
            Descriptor.put("!!aabbcc", to: far)
            try loop.turns { first.values.count == 1 }
            try loop.turns(3)
            let second = connection.received.log()
            try loop.turns { second.values.count == 2 }
            #expect(first.values == ["a"] && second.values == ["b", "c"])
            connection.abort()
            try loop.turns(2)
            close(far)
            loop.dispose()
        }

        @Test(
            "An error thrown by a transformer fails the connection, after its last bytes are sent",
            arguments: LoopKind.all
        )
        func failing(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let (connection, far) = try pair(loop, Doubling())
            let log = connection.received.log()
            let sent = connection.send("ab").log()
            Descriptor.put("!!aaxy", to: far)
            try loop.turns { log.hasEnded }
            #expect(log.code == .malformed && sent.code == .malformed)
            #expect(text(from: far) == "!!??")
            let late = connection.send("later").log()
            try loop.turns { late.hasEnded }
            #expect(late.code == .malformed)
            close(far)
            let (other, otherFar) = try pair(loop, Doubling())
            let cut = other.received.log()
            Descriptor.put("!!aab", to: otherFar)
            shutdown(otherFar, Int32(SHUT_WR))
            try loop.turns { cut.hasEnded }
            #expect(cut.code == .incompleteFrame)
            close(otherFar)
            loop.dispose()
        }

        @Test("N10: bytes stored in a transformer count as waiting", arguments: LoopKind.all)
        func watermarks(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let (near, far) = Descriptor.sockets()
            let connection = try Connection(
                adopting: near,
                loop: loop,
                watermarks: Watermarks(high: 3, low: 0),
                transformer: Doubling()
            )
            let writable = Recorder<Bool>()
            connection.isWritable.signal.subscribe(onValue: { writable.append($0) })
            connection.send("abc")
            try loop.turns { writable.values == [true, false] }
            connection.send("d")
            try loop.turns { writable.values == [true, false, true] }
            connection.abort()
            try loop.turns(2)
            close(far)
            loop.dispose()
        }
    }
}
