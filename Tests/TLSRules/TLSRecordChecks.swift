// SPDX-License-Identifier: MIT
#if TLS
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets
    import ReactiveTLS
    import SchedulerConformance

    /// TLS5, TLS6: KeyUpdate, and records of unusual shapes.
    enum TLSRecordChecks {
        static func keyUpdates(_ check: Check) throws {
            let bench = try TLSBench(
                check,
                try check.loop(),
                watermarks: Watermarks(high: 16384),
                options: [SocketOption.sendBufferSize(16384), SocketOption.receiveBufferSize(16384)]
            )
            let (peer, connection) = try bench.established(receiveBuffer: 16384)
            RawSocket.setSendBuffer(peer.raw.descriptor, 16384)
            let log = connection.received.log()
            let data = check.noise(50_000)
            connection.send(Bytes(data[..<20_000]))
            // Each KeyUpdate and each reply takes 27 bytes, so the kernel's buffers hold a small part of them.
            for _ in 0..<10_000 { peer.updateKeys(requesting: true) }
            peer.write(Array("behind".utf8))
            let total = peer.outbox.count
            let sent = try bench.sendUntilRefused(peer)
            check.expect(
                sent < 170_000,
                "a peer that requests key updates and does not read is stopped",
                seen: "it sent \(sent) of \(total) bytes"
            )
            connection.send(Bytes(data[20_000...]))
            try bench.turns(peer, until: "everything is received after all") {
                log.hasEnded || peer.phase != .established
                    || log.bytes.count >= 6 && peer.received.count >= data.count
            }
            check.equal(String(decoding: log.bytes, as: UTF8.self), "behind", "bytes behind the key updates")
            check.expect(
                peer.received == data && peer.phase == .established,
                "the peer decrypts all bytes",
                seen: "\(peer.received.count) bytes, or others; the session: \(peer.phase)"
            )
            connection.abort()
            peer.raw.close()
            bench.end()
        }

        // MARK: Splitting

        static func splitting(_ check: Check) throws {
            let bench = try TLSBench(check, try check.loop())
            for version in [TLSVersion.tls12, .tls13] {
                let (peer, connection) = try bench.connect(version: version)
                try handshakeByBytes(bench, peer, connection)
                try oneByteRecords(bench, peer, connection)
                try everyPosition(bench, peer, connection)
                let (client, server) = try bench.clientAndServer(version: version)
                try handshakeByBytes(bench, server, client)
                try everyPosition(bench, server, client)
            }
            bench.end()
        }

        /// The peer sends each byte of its handshake by itself.
        private static func handshakeByBytes(_ bench: TLSBench, _ peer: TLSPeer, _ connection: Connection) throws {
            let (check, loop) = (bench.check, bench.loop)
            let info = Box<TLSInfo?>(nil)
            check.note("sends a handshake byte by byte")
            try check.turns(loop, until: "the handshake of single bytes is complete") {
                peer.readSocket()
                peer.advance()
                while !peer.outbox.isEmpty {
                    peer.outbox.removeFirst(peer.raw.send(peer.outbox.prefix(1)))
                    try check.turns(loop, 1)
                }
                loop.execute { info.value = connection.tlsInfo }
                try check.turns(loop, 1)
                return peer.phase != .handshaking && info.value != nil
            }
            check.equal(peer.phase, .established, "the session after a handshake of single bytes")
        }

        private static func oneByteRecords(_ bench: TLSBench, _ peer: TLSPeer, _ connection: Connection) throws {
            let check = bench.check
            let log = connection.received.log()
            let data = check.noise(1000)
            for byte in data { peer.write([byte]) }
            try bench.send(peer)
            try check.turns(bench.loop, until: "records of one byte are received") { log.bytes.count >= data.count }
            check.expect(log.bytes == data, "the bytes of 1 000 records", seen: "other bytes")
            log.subscription.dispose()
        }

        /// A record is split at each position, and the two parts arrive in different turns.
        private static func everyPosition(_ bench: TLSBench, _ peer: TLSPeer, _ connection: Connection) throws {
            let check = bench.check
            let log = connection.received.log()
            let data = check.noise(40)
            var (position, received) = (1, 0)
            while true {
                peer.write(data)
                if position >= peer.outbox.count { break }
                let rest = peer.outbox[position...]
                peer.outbox.removeLast(rest.count)
                try bench.send(peer)
                try check.turns(bench.loop, 2)
                peer.outbox = Array(rest)
                try bench.send(peer)
                received += data.count
                try check.turns(bench.loop, until: "a record that is split at byte \(position) is received") {
                    log.hasEnded || log.bytes.count >= received
                }
                check.expect(
                    Array(log.bytes.suffix(data.count)) == data,
                    "the record that is split at byte \(position)",
                    seen: "other bytes; the receiver: \(log.message)"
                )
                position += 1
            }
            connection.abort()
            peer.raw.close()
        }
    }
#endif
