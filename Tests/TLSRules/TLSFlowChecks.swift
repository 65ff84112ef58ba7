// SPDX-License-Identifier: MIT
#if TLS
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets
    import ReactiveTLS
    import SchedulerConformance

    /// TLS11: back-pressure through TLS.
    enum TLSFlowChecks {
        static func pressing(_ check: Check) throws {
            let bench = try TLSBench(
                check,
                try check.loop(),
                watermarks: Watermarks(high: 100_000),
                options: [SocketOption.sendBufferSize(65536), SocketOption.receiveBufferSize(65536)]
            )
            try source(bench)
            try handshake(bench)
            try receiver(bench)
            bench.end()
        }

        private static let chunk = Bytes([UInt8](repeating: 2, count: 10_000))
        private static let total = 1_500_000

        /// Sends 150 chunks, and counts those that the connection has taken.
        private static func send(to connection: Connection) -> (taken: Box<Int>, log: Log<Never, SocketError>) {
            let taken = Box(0)
            let source = Signal<Bytes, Never>(values: repeatElement(chunk, count: 150))
                .handleEvents(onValue: { _ in taken.increment() })
            return (taken, connection.send(from: source).log())
        }

        /// Receives everything, and checks that the send completes.
        private static func end(
            _ bench: TLSBench,
            _ peer: TLSPeer,
            _ connection: Connection,
            _ log: Log<Never, SocketError>
        ) throws {
            try bench.turns(peer, until: "the peer has received everything") {
                peer.end != nil || peer.received.count >= total
            }
            bench.check.equal(peer.received.count, total, "bytes that the peer has received")
            bench.check.expect(peer.received.allSatisfy { $0 == 2 }, "the bytes that were sent")
            bench.check.expect(log.isCompleted, "the send has completed", seen: log.message)
            connection.abort()
            peer.raw.close()
        }

        private static func source(_ bench: TLSBench) throws {
            let check = bench.check
            let (peer, connection) = try bench.established(receiveBuffer: 4096)
            let (taken, log) = send(to: connection)
            try check.turns(bench.loop, 50)
            // The watermark, the kernel's buffers, and one chunk.
            let early = taken.value
            check.expect(
                early < 60,
                "a peer that does not read pauses the source",
                seen: "\(early) of 150 chunks taken"
            )
            try check.turns(bench.loop, 20)
            check.equal(taken.value, early, "chunks taken later")
            try end(bench, peer, connection, log)
        }

        private static func handshake(_ bench: TLSBench) throws {
            let check = bench.check
            let (peer, connection) = try bench.connect(receiveBuffer: 4096)
            let (taken, log) = send(to: connection)
            try check.turns(bench.loop, 10)
            check.expect(
                taken.value <= 11,
                "a stalled handshake pauses the source",
                seen: "\(taken.value) chunks taken"
            )
            try end(bench, peer, connection, log)
        }

        private static func receiver(_ bench: TLSBench) throws {
            let check = bench.check
            let (peer, connection) = try bench.established()
            RawSocket.setSendBuffer(peer.raw.descriptor, 65536)
            let log = connection.received.log()
            let pause = log.subscription.pause()
            let data = check.noise(total)
            peer.write(data)
            let sent = try bench.sendUntilRefused(peer)
            check.expect(sent < 750_000, "a paused receiver stops the peer", seen: "it sent \(sent) bytes")
            check.equal(log.bytes.count, 0, "bytes received during the pause")
            pause.dispose()
            try bench.turns(peer, until: "everything is received") {
                log.hasEnded || log.values.reduce(0) { sum, bytes in sum + bytes.count } >= data.count
            }
            check.expect(log.bytes, sent: data, "the bytes that were sent")
            connection.abort()
            peer.raw.close()
        }
    }
#endif
