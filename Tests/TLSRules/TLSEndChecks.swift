// SPDX-License-Identifier: MIT
#if TLS
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets
    import ReactiveTLS
    import SchedulerConformance

    /// TLS3, TLS4: close_notify, truncation and half-close.
    enum TLSEndChecks {
        /// How a peer ends its stream.
        private enum Ending: CaseIterable {
            case notified
            /// close_notify, but the socket stays open.
            case notifiedOnly
            case bare
            case insideRecord
            case reset
        }

        static func notifying(_ check: Check) throws {
            let bench = try TLSBench(check, try check.loop())
            for version in [TLSVersion.tls12, .tls13] {
                for ending in Ending.allCases { try receive(ending, bench, version) }
                for isClose in [false, true] { try send(bench, version, isClose: isClose) }
            }
            try duringHandshake(bench)
            bench.end()
        }

        private static func receive(_ ending: Ending, _ bench: TLSBench, _ version: TLSVersion) throws {
            let check = bench.check
            let (peer, connection) = try bench.established(version: version)
            let log = connection.received.log()
            peer.write(Array("some".utf8))
            try bench.send(peer)
            try check.turns(bench.loop, until: "the bytes before the end are received") { log.bytes.count == 4 }
            switch ending {
            case .notified, .notifiedOnly: peer.notifyClose()
            case .insideRecord:
                peer.write([1, 2, 3])
                peer.outbox.removeLast()
            case .bare, .reset: break
            }
            try bench.send(peer)
            switch ending {
            case .notified, .bare, .insideRecord: peer.raw.finish()
            case .notifiedOnly: break
            case .reset: peer.raw.reset()
            }
            try check.turns(bench.loop, until: "the receiver terminates after the ending \(ending)") { log.hasEnded }
            switch ending {
            case .notified, .notifiedOnly:
                check.expect(log.isCompleted, "close_notify completes the receiver", seen: log.message)
            case .bare, .insideRecord:
                check.equal(log.code, .tls, "the code of the ending \(ending)")
                check.equal(log.tlsCode, .truncated, "the TLS code of the ending \(ending)")
            case .reset: check.equal(log.code, .reset, "the code of a reset")
            }
            check.equal(log.bytes, Array("some".utf8), "bytes received before the ending \(ending)")
            connection.abort()
            peer.raw.close()
        }

        /// `finishSending` and `close` send close_notify, and then the end of the stream.
        private static func send(_ bench: TLSBench, _ version: TLSVersion, isClose: Bool) throws {
            let check = bench.check
            let (peer, connection) = try bench.established(version: version)
            connection.send("last")
            if isClose { connection.close() } else { connection.finishSending() }
            try bench.turns(peer, until: "the peer's stream has ended") { peer.end != nil }
            check.equal(peer.received, Array("last".utf8), "bytes that the peer received")
            check.equal(peer.phase, .notified, "the peer's session at the end of the stream")
            check.equal(peer.end, .end, "the end of the peer's stream")
            connection.abort()
            peer.raw.close()
        }

        private static func duringHandshake(_ bench: TLSBench) throws {
            let (peer, connection) = try bench.connect()
            let log = connection.received.log()
            peer.advance()
            peer.outbox.removeLast()
            try bench.send(peer)
            peer.raw.finish()
            try bench.check.turns(bench.loop, until: "the receiver terminates") { log.hasEnded }
            bench.check.equal(log.tlsCode, .truncated, "the TLS code of an end during the handshake")
            connection.abort()
            peer.raw.close()
        }

        // MARK: Half-close

        static func halfClosing(_ check: Check) throws {
            let bench = try TLSBench(check, try check.loop())
            try stillSending(bench)
            try bothDirections(bench)
            bench.end()
        }

        /// A connection whose peer has sent close_notify, which has completed the receiver.
        private static func notified(_ bench: TLSBench, _ version: TLSVersion) throws -> (TLSPeer, Connection) {
            let (peer, connection) = try bench.established(version: version)
            let log = connection.received.log()
            peer.notifyClose()
            try bench.send(peer)
            try bench.check.turns(bench.loop, until: "the receiver completes") { log.hasEnded }
            bench.check.expect(log.isCompleted, "close_notify completes the receiver", seen: log.message)
            return (peer, connection)
        }

        private static func stillSending(_ bench: TLSBench) throws {
            let check = bench.check
            let (peer, connection) = try notified(bench, .tls13)
            let data = check.noise(200_000)
            let sent = connection.send(Bytes(data)).log()
            try bench.turns(peer, until: "the peer receives bytes after its close_notify") {
                peer.received.count >= data.count || sent.code != nil
            }
            check.expect(
                peer.received == data,
                "the peer receives 200 KB after its close_notify",
                seen: "\(peer.received.count) bytes, or others; the send: \(sent.message)"
            )
            connection.finishSending()
            try bench.turns(peer, until: "the peer receives the end") { peer.end != nil }
            check.equal(peer.phase, .notified, "the peer's session at the end")
            peer.raw.close()
            connection.abort()
        }

        private static func bothDirections(_ bench: TLSBench) throws {
            let check = bench.check
            let (peer, connection) = try notified(bench, .tls12)
            try bench.turns(peer, until: "the peer receives a close_notify in return") { peer.phase != .established }
            check.equal(peer.phase, .notified, "the peer's session after its close_notify")
            let late = connection.send("late").log()
            try bench.turns(peer, until: "a send after that terminates") { late.hasEnded }
            check.equal(late.code, .reset, "the code of a send after both directions were closed")
            check.equal(peer.received, [], "bytes that the peer received")
            peer.raw.close()
            connection.abort()
        }
    }
#endif
