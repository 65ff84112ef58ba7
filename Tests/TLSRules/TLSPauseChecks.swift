// SPDX-License-Identifier: MIT
#if TLS
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets
    import ReactiveTLS
    import SchedulerConformance

    /// TLS1, TLS2: pauses while decrypted bytes wait for the receiver.
    enum TLSPauseChecks {
        static func pausing(_ check: Check) throws {
            let bench = try TLSBench(check, try check.loop())
            for version in [TLSVersion.tls12, .tls13] {
                try insideRecord(bench, version)
                try beforeEnd(bench, version)
            }
            try behindHandshake(bench)
            bench.end()
        }

        /// A receiver that pauses in its first chunk.
        private struct PausedReceiver {
            let log = Log<Bytes, SocketError>()
            let pause: Box<(any Disposable)?> = Box(nil)

            init(_ connection: Connection) {
                let (log, pause) = (log, pause)
                connection.received.subscribe(
                    in: log.subscription,
                    onValue: { bytes in
                        if log.values.isEmpty { pause.value = log.subscription.pause() }
                        log.take(bytes)
                    },
                    onTermination: { log.take(end: $0) }
                )
            }
        }

        /// Returns a receiver that has paused in its first chunk while further decrypted bytes of the same record wait.
        private static func pausedReceiver(
            _ bench: TLSBench,
            _ peer: TLSPeer,
            _ connection: Connection,
            _ data: [UInt8]
        ) throws -> PausedReceiver {
            let (check, loop) = (bench.check, bench.loop)
            let receiver = PausedReceiver(connection)
            // The last byte completes the record, so that OpenSSL returns more bytes than the read has brought.
            peer.write(data)
            let last = peer.outbox.removeLast()
            try bench.send(peer)
            try bench.settle(peer)
            check.equal(receiver.log.bytes, [], "bytes of a record that is not complete")
            peer.outbox.append(last)
            try bench.send(peer)
            try check.turns(loop, until: "the first chunk is received") { !receiver.log.values.isEmpty }
            try check.turns(loop, 5)
            check.equal(receiver.log.values.count, 1, "chunks until the pause")
            check.expect(
                receiver.log.bytes.count < data.count,
                "decrypted bytes wait during the pause",
                seen: "\(receiver.log.bytes.count) bytes were received"
            )
            return receiver
        }

        private static func insideRecord(_ bench: TLSBench, _ version: TLSVersion) throws {
            let check = bench.check
            let (peer, connection) = try bench.established(version: version)
            let data = check.noise(16384)
            let receiver = try pausedReceiver(bench, peer, connection, data)
            receiver.pause.value?.dispose()
            try check.turns(bench.loop, until: "all decrypted bytes follow the resume") {
                receiver.log.bytes.count >= data.count
            }
            check.expect(receiver.log.bytes == data, "the bytes of the record", seen: "other bytes")
            connection.abort()
            receiver.pause.value = nil
            peer.raw.close()
        }

        private static func beforeEnd(_ bench: TLSBench, _ version: TLSVersion) throws {
            let check = bench.check
            let (peer, connection) = try bench.established(version: version)
            let log = connection.received.log()
            let pause = log.subscription.pause()
            peer.write([1, 2, 3])
            peer.write([4])
            peer.notifyClose()
            try bench.send(peer)
            peer.raw.finish()
            try bench.settle(peer)
            check.expect(log.bytes.isEmpty && !log.hasEnded, "nothing is received during a pause", seen: "\(log.bytes)")
            pause.dispose()
            try check.turns(bench.loop, until: "the end follows the resume") { log.hasEnded }
            check.equal(log.bytes, [1, 2, 3, 4], "bytes received before the end")
            check.expect(log.isCompleted, "the receiver completes", seen: log.message)
            connection.abort()
            peer.raw.close()
        }

        /// Records that arrive with the last bytes of the handshake wait for a receiver.
        private static func behindHandshake(_ bench: TLSBench) throws {
            let check = bench.check
            let (peer, connection) = try bench.connect()
            peer.advance()
            peer.flush()
            try check.turns(bench.loop, until: "the peer's handshake is complete") {
                peer.readSocket()
                peer.advance()
                return peer.phase == .established
            }
            peer.write([1, 2, 3])
            try bench.send(peer)
            try bench.settle(peer)
            let log = connection.received.log()
            try check.turns(bench.loop, until: "the bytes behind the handshake are received") { log.bytes.count >= 3 }
            check.equal(log.bytes, [1, 2, 3], "bytes that arrived with the handshake")
            connection.abort()
            peer.raw.close()
        }

        // MARK: Closing

        static func closing(_ check: Check) throws {
            let bench = try TLSBench(check, try check.loop())
            for version in [TLSVersion.tls12, .tls13] {
                for isAbort in [false, true] { try close(bench, version, isAbort: isAbort) }
            }
            try retaining(bench)
            bench.end()
        }

        private static func close(_ bench: TLSBench, _ version: TLSVersion, isAbort: Bool) throws {
            let (check, loop) = (bench.check, bench.loop)
            let (peer, connection) = try bench.established(version: version)
            let receiver = try pausedReceiver(bench, peer, connection, check.noise(16384))
            let count = receiver.log.bytes.count
            let ended = connection.ended.log()
            // The kernel holds more records, which the connection has not read.
            peer.write(check.noise(10_000))
            try bench.send(peer)
            if isAbort { connection.abort() } else { connection.close() }
            let late = connection.send("late").log()
            try bench.turns(peer, until: "the peer's stream has ended") { peer.end != nil }
            if isAbort {
                if case .failed? = peer.end {} else { check.fail(expected: "a reset", seen: "\(peer.end as Any)") }
            } else {
                check.equal(peer.phase, .notified, "the peer's session after a close")
                check.equal(peer.end, .end, "the end of the peer's stream after a close")
            }
            peer.raw.close()
            try check.turns(loop, until: "the connection has ended") { ended.hasEnded && late.hasEnded }
            check.equal(late.code, .closed, "the error of a send after the close")
            receiver.pause.value?.dispose()
            receiver.pause.value = nil
            try check.turns(loop, until: "the receiver terminates") { receiver.log.hasEnded }
            try check.turns(loop, 3)
            check.equal(receiver.log.bytes.count, count, "bytes received after the close")
            check.equal(
                [receiver.log.ends.count, ended.ends.count],
                [1, 1],
                "terminations of the receiver and the connection"
            )
        }

        /// A closed connection that the application retains has dropped the decrypted bytes.
        private static func retaining(_ bench: TLSBench) throws {
            let data = bench.check.noise(16384)
            let count = 10
            func growth(isPaused: Bool) throws -> Int {
                var kept: [Connection] = []
                let heap = Platform.heapInUse
                for _ in 0..<count {
                    let (peer, connection) = try bench.established()
                    let receiver = isPaused ? try pausedReceiver(bench, peer, connection, data) : nil
                    connection.close()
                    try bench.turns(peer, until: "the peer's stream has ended") { peer.end != nil }
                    receiver?.pause.value?.dispose()
                    receiver?.pause.value = nil
                    peer.raw.close()
                    try bench.check.turns(bench.loop, 3)
                    kept.append(connection)
                }
                return withExtendedLifetime(kept) { (Platform.heapInUse - heap) / count }
            }
            // The first round creates one-time objects.
            _ = try growth(isPaused: true)
            let (without, with) = (try growth(isPaused: false), try growth(isPaused: true))
            bench.check.expect(
                with - without < data.count / 2,
                "a connection that was closed while paused keeps no decrypted bytes",
                seen: "\(with) bytes each, and \(without) without a pause"
            )
        }
    }
#endif
