// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveSockets

/// N8–N10: sending.
enum SendingRules {
    static let all = [n8, n9, n10]

    static let n8 = Rule.ofSockets(
        "N8",
        "Bytes arrive identical, both ways, from 1 byte to 16 MB; 10 000 small sends keep their order."
    ) { check, loop, bench in
        let data = check.noise(check.rounds(16_000_000))
        for size in [1, 1000, 100_000, data.count] {
            let (client, connection) = try bench.connect()
            connection.send(from: connection.received)
            let sent = Array(data[..<size])
            let received = Box<[UInt8]>([])
            let isOver = Latch()
            client.setBlocking(true)
            let sender = check.thread {
                client.sendAll(sent)
                client.finish()
            }
            let reader = check.thread {
                received.value = client.receiveAll().bytes
                isOver.arrive()
            }
            try check.turns(loop, until: "an echo of \(size) bytes has ended") { isOver.isOpen }
            sender.join()
            reader.join()
            check.expect(received.value, sent: sent, "\(size) bytes are echoed")
            connection.abort()
        }
        let (client, connection) = try bench.connect()
        let expected = (0..<10_000).map { "\($0)\n" }.joined()
        let sender = check.thread { for number in 0..<10_000 { connection.send(Bytes("\(number)\n")) } }
        let received = try bench.receive(expected.utf8.count, at: client)
        sender.join()
        check.expect(received, sent: Array(expected.utf8), "10 000 numbers in order")
        connection.close()
    }

    static let n9 = Rule.ofSockets(
        "N9",
        "Partial writes, a tiny send buffer, a slow reader and more buffers than one call takes neither lose nor repeat bytes."
    ) { check, loop, bench in
        let before = Descriptor.all
        let (client, connection) = try bench.connect()
        for descriptor in Descriptor.all.subtracting(before) where descriptor != client.descriptor {
            RawSocket.setSendBuffer(descriptor, 1)
        }
        let data = check.noise(200_000)
        var position = 0
        var ends: [Log<Never, SocketError>] = []
        // Buffers of many sizes, including empty ones. There are more buffers than an iovec may contain.
        for index in 0..<1500 where position < data.count {
            let next = min(data.count, position + index % 300)
            ends.append(connection.send(Bytes(data[position..<next])).log())
            position = next
        }
        connection.send(Bytes(data[position...]))
        connection.finishSending()
        var all: [UInt8] = []
        try check.turns(loop, until: "a slow reader has received all bytes") {
            if case .bytes(let bytes) = client.receive(997) { all += bytes }
            return all.count >= data.count
        }
        check.expect(all, sent: data, "the bytes that were sent")
        try check.turns(loop, until: "the client receives the end of stream") { client.receive() == .end }
        check.expect(ends.allSatisfy { $0.isCompleted }, "each send has completed")
        connection.close()
    }

    static let n10 = Rule(
        "N10",
        "The high watermark is reported once, then the low one once; at most the high watermark and one write are buffered.",
        needs: [.sockets]
    ) { check, loop in
        let bench = try SocketBench(check, loop, watermarks: Watermarks(high: 100_000, low: 20_000))
        let (client, connection) = try bench.connect(receiveBuffer: 4096)
        let writable = connection.isWritable.signal.log()
        check.equal(writable.values, [true], "values of `isWritable` at first")
        var sent = 0
        while connection.isWritable.value, sent < 100_000_000 {
            connection.send(Bytes([UInt8](repeating: 1, count: 10_000)))
            sent += 10_000
            try check.turns(loop, 1)
        }
        check.equal(writable.values, [true, false], "values of `isWritable` while the peer does not read")
        for _ in 0..<5 {
            connection.send(Bytes([UInt8](repeating: 1, count: 10_000)))
            sent += 10_000
            try check.turns(loop, 1)
        }
        check.equal(writable.values, [true, false], "values of `isWritable` above the high watermark")
        var received = 0
        try check.turns(loop, until: "the client has received everything") {
            if case .bytes(let bytes) = client.receive(4096) { received += bytes.count }
            return received == sent
        }
        check.equal(writable.values, [true, false, true], "values of `isWritable` in total")
        // Above the high watermark the connection pauses a signal. Until then the signal sends at most the watermark,
        // the kernel's buffer, and one chunk.
        let taken = Box(0)
        let piece = Bytes([UInt8](repeating: 2, count: 10_000))
        let source = Signal<Bytes, Never>(values: repeatElement(piece, count: 10_000))
            .handleEvents(onValue: { _ in taken.increment() })
        let sending = connection.send(from: source).log()
        try check.turns(loop, 50)
        let early = taken.value
        check.expect(
            early < 5000,
            "a source of 100 MB is paused while the peer does not read",
            seen: "\(early) of 10 000 chunks taken"
        )
        try check.turns(loop, 50)
        check.expect(taken.value - early < 100, "it stays paused", seen: "\(taken.value - early) more chunks")
        sending.subscription.dispose()
        connection.abort()
        bench.end()
    }
}
