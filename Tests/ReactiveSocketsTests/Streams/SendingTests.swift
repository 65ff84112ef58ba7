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
    @Suite struct SendingTests {
        @Test(
            "N9: partial writes, a tiny send buffer and a slow reader neither lose nor repeat bytes",
            arguments: LoopKind.all
        )
        func partialWrites(_ kind: LoopKind) throws {
            let server = try TestServer(kind)
            let (client, connection) = try server.connect()
            var size: Int32 = 1
            let descriptor = connection.core.value.socket.descriptor
            setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<Int32>.size))
            let data = noise(300_000)
            var position = 0
            var ends: [Log<Never, SocketError>] = []
            // Empty to large buffers, more than an iovec may have entries.
            for index in 0..<1500 where position < data.count {
                let next = min(data.count, position + index % 500)
                ends.append(connection.send(Bytes(data[position..<next])).log())
                position = next
            }
            connection.send(Bytes(data[position...]))
            connection.finishSending()
            var all: [UInt8] = []
            try server.loop.turns {
                if case .bytes(let bytes) = client.receive(997) { all += bytes }
                return all.count == data.count
            }
            #expect(all == data)
            try server.loop.turns { client.receive() == .end }
            #expect(ends.allSatisfy { $0.isCompleted })
            connection.close()
            try server.expectNothingLeft(after: client)
        }

        @Test("N8: ten thousand small sends from another thread keep their order", arguments: LoopKind.all)
        func manySmall(_ kind: LoopKind) throws {
            let server = try TestServer(kind)
            let (client, connection) = try server.connect()
            let last = Box<Log<Never, SocketError>?>(nil)
            let sender = TestThread {
                for number in 0..<10_000 {
                    let end = connection.send(Bytes("\(number)\n"))
                    if number == 9_999 { last.value = end.log() }
                }
            }
            let expected = (0..<10_000).map { "\($0)\n" }.joined()
            #expect(try server.receive(expected.utf8.count, at: client) == Array(expected.utf8))
            try sender.join()
            try server.loop.turns { last.value?.hasEnded == true }
            #expect(last.value?.isCompleted == true)
            connection.close()
            try server.expectNothingLeft(after: client)
        }

        @Test("N10: each watermark is reported once, and nothing is reported in between", arguments: LoopKind.all)
        func watermarks(_ kind: LoopKind) throws {
            let server = try TestServer(kind, watermarks: Watermarks(high: 100_000, low: 20_000))
            let (client, connection) = try server.connect(receiveBuffer: 4096)
            let writable = connection.isWritable.signal.log()
            #expect(writable.values == [true])
            var sent = 0
            while connection.isWritable.value {
                connection.send(Bytes(repeating: 1, count: 10_000))
                sent += 10_000
                try server.loop.turns(1)
            }
            let core = connection.core.value
            #expect(core.sending.pendingCount >= 100_000 && core.sending.pendingCount < 110_000)
            #expect(writable.values == [true, false])
            connection.send(Bytes(repeating: 1, count: 10_000))
            sent += 10_000
            try server.loop.turns(1)
            var received = 0
            try server.loop.turns {
                if case .bytes(let bytes) = client.receive(4096) { received += bytes.count }
                let isLow = core.sending.pendingCount <= 20_000
                #expect(connection.isWritable.value == isLow)
                return isLow
            }
            #expect(writable.values == [true, false, true])
            received += try server.receive(sent - received, at: client).count
            #expect(received == sent)
            #expect(writable.values == [true, false, true])
            connection.close()
            try server.expectNothingLeft(after: client)
        }

        @Test(
            "A send completes when the kernel has accepted its bytes, even for late and unordered subscribers",
            arguments: LoopKind.all
        )
        func results(_ kind: LoopKind) throws {
            let server = try TestServer(kind)
            let (client, connection) = try server.connect(receiveBuffer: 4096)
            let small = connection.send("small")
            let large = connection.send(Bytes(noise(8_000_000)))
            let (after, empty) = (connection.send("after"), connection.send(Bytes()))
            let logs = [after.log(), small.log(), large.log(), empty.log()]
            try server.loop.turns(3)
            #expect(logs.map(\.isCompleted) == [false, true, false, false])
            let all = try server.receive(5 + 8_000_000 + 5, at: client)
            #expect(all.starts(with: "small".utf8) && all.suffix(5).elementsEqual("after".utf8))
            #expect(all.count == 8_000_010)
            try server.loop.turns { logs.allSatisfy { $0.isCompleted } }
            #expect(large.log().isCompleted || large.log().ends.isEmpty)
            connection.close()
            try server.expectNothingLeft(after: client)
        }

        @Test("N12: either side may half-close, even twice", arguments: LoopKind.all)
        func halfClose(_ kind: LoopKind) throws {
            let server = try TestServer(kind)
            do {
                let (client, connection) = try server.connect()
                let log = connection.received.log()
                client.finish()
                client.finish()
                try server.loop.turns { log.hasEnded }
                #expect(log.isCompleted)
                connection.send("still ")
                let end = connection.send("here").log()
                connection.finishSending()
                connection.finishSending()
                let (bytes, last) = try server.receiveToEnd(at: client)
                #expect(bytes == Array("still here".utf8) && last == .end && end.isCompleted)
                #expect(!connection.core.value.isOpen)
            }
            do {
                let (client, connection) = try server.connect()
                connection.send("bye")
                connection.finishSending()
                let late = connection.send("late").log()
                let log = connection.received.log()
                let (bytes, last) = try server.receiveToEnd(at: client)
                #expect(bytes == Array("bye".utf8) && last == .end)
                #expect(late.code == .closed)
                client.send("and more".utf8)
                client.finish()
                try server.loop.turns { log.hasEnded }
                #expect(log.bytes == Array("and more".utf8) && log.isCompleted)
            }
            try server.expectNothingLeft()
        }

        @Test(
            "N14: after a close, a peer that does not end its stream is abandoned, and a flooding one sooner",
            arguments: LoopKind.all
        )
        func impatience(_ kind: LoopKind) throws {
            // Repeats the attempt if the machine paused for the two seconds that a connection waits.
            for _ in 0..<5 where try leavesFlooderSooner(kind) { return }
            Issue.record("five times not sooner than after the two seconds")
        }

        private func leavesFlooderSooner(_ kind: LoopKind) throws -> Bool {
            let server = try TestServer(kind)
            let (client, connection) = try server.connect()
            let (flooder, flooded) = try server.connect()
            let start = server.loop.now
            connection.close()
            flooded.close()
            let data = [UInt8](repeating: 1, count: 100_000)
            try server.loop.turns {
                flooder.send(data)
                return !flooded.core.value.isOpen
            }
            let isInTime = server.loop.now < start + .seconds(2)
            if isInTime { #expect(connection.core.value.isOpen) }
            try server.loop.turns { !connection.core.value.isOpen }
            #expect(server.loop.now >= start + .seconds(2))
            try server.expectNothingLeft(after: client, flooder)
            return isInTime
        }

        @Test("N13: abort drops waiting bytes and resets the peer", arguments: LoopKind.all)
        func abort(_ kind: LoopKind) throws {
            let server = try TestServer(kind)
            let (client, connection) = try server.connect(receiveBuffer: 4096)
            let result = connection.send(Bytes(noise(16_000_000)))
            let end = result.log()
            let received = connection.received.log()
            try server.loop.turns(2)
            connection.abort()
            connection.abort()
            try server.loop.turns { received.hasEnded }
            #expect(end.code == .closed && received.code == .closed)
            // A late subscriber receives it too: no bytes wait any more, but they were not sent.
            let late = result.log()
            try server.loop.turns { late.hasEnded }
            #expect(late.code == .closed)
            #expect(try server.receiveToEnd(at: client).end == .failed(ECONNRESET))
            try server.expectNothingLeft(after: client)
        }

        @Test("N15: observers of results and watermarks may call every operation", arguments: LoopKind.all, 0..<3)
        func closingInside(_ kind: LoopKind, _ way: Int) throws {
            let server = try TestServer(kind, watermarks: Watermarks(high: 1000))
            let (client, connection) = try server.connect(receiveBuffer: 4096)
            let (marks, ends) = (Box(0), Box(0))
            connection.isWritable.signal.subscribe(onValue: { isWritable in
                guard !isWritable else { return }
                marks.increment()
                switch way {
                case 0: connection.close()
                case 1: connection.abort()
                default: connection.send("again")
                }
            })
            connection.send(Bytes(repeating: 1, count: 8_000_000)).subscribe(onTermination: { _ in
                ends.increment()
                connection.close()
                connection.send("never")
            })
            try server.loop.turns { marks.value > 0 }
            let (bytes, end) = try server.receiveToEnd(at: client)
            switch way {
            case 0: #expect(bytes.count == 8_000_000 && end == .end)
            case 1: #expect(end == .failed(ECONNRESET))
            default: #expect(bytes.count == 8_000_005 && end == .end)
            }
            client.finish()
            try server.loop.turns { ends.value == 1 && !connection.core.value.isOpen }
            #expect(marks.value == 1)
            try server.expectNothingLeft(after: client)
        }
    }
}

extension Bytes {
    init(repeating byte: UInt8, count: Int) { self.init([UInt8](repeating: byte, count: count)) }
}
