// SPDX-License-Identifier: MIT
#if TLS
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets
    import ReactiveTLS
    import SchedulerConformance

    /// TLS8: handshakes that stall.
    enum TLSHandshakeChecks {
        private static let limit = Duration.milliseconds(100)
        private static let memoryLimit = 256 * 1024

        static func stalling(_ check: Check) throws {
            var settings = TestCertificates.shared.valid.server
            settings.handshakeTimeout = limit
            let bench = try TLSBench(check, try check.loop(), settings)
            try timeOut(bench, [])
            // The beginning of a hello, whose header promises more.
            try timeOut(bench, [22, 3, 1, 0, 200, 1, 0, 0, 196, 3, 3])
            try timeOut(bench, [22, 3, 1, 64, 0, 1, 0, 63, 252, 3, 3], drips: true)
            try timeOutClient(bench)
            bench.end()
            try memory(check)
        }

        /// `drips` is true if the peer continues to send single bytes, which do not extend the time.
        private static func timeOut(_ bench: TLSBench, _ bytes: [UInt8], drips: Bool = false) throws {
            let raw = try RawPeer(to: bench.listener.localAddress)
            let start = Platform.now
            let connection = try bench.sockets.accept()
            raw.send(bytes)
            // At most one byte each millisecond: more could complete the record within the limit.
            var lastDrip = start
            try expectTimeOut(bench, connection, since: start) {
                guard drips, Platform.now > lastDrip + .milliseconds(1) else { return }
                lastDrip = Platform.now
                raw.send([7])
            }
            raw.close()
        }

        private static func timeOutClient(_ bench: TLSBench) throws {
            var settings = TestCertificates.shared.client
            settings.handshakeTimeout = limit
            let start = Platform.now
            let (connection, peer) = try bench.clientAndServer(settings)
            try expectTimeOut(bench, connection, since: start)
            peer.raw.close()
        }

        private static func expectTimeOut(
            _ bench: TLSBench,
            _ connection: Connection,
            since start: LoopInstant,
            _ body: () -> Void = {}
        ) throws {
            let check = bench.check
            let (ended, received) = (connection.ended.log(), connection.received.log())
            try check.turns(bench.loop, until: "the handshake has timed out") {
                body()
                return ended.hasEnded
            }
            // The timer starts with the connection, which is not older than `start`.
            let seen = Platform.now - start
            check.expect(seen >= limit, "a handshake has \(limit)", seen: "it ended after \(seen)")
            check.equal([ended.code, received.code], [.timedOut, .timedOut], "the codes of a stalled handshake")
        }

        /// Peers that send as much of a hello as the server accepts, and then nothing.
        private static func memory(_ check: Check) throws {
            let bench = try TLSBench(check, try check.loop())
            let count = 20
            // A hello of 128 KiB, the longest that OpenSSL accepts, in records of 16 KiB. The last byte is missing.
            var hello: [UInt8] = []
            for number in 0..<8 {
                // The header of the message: client_hello, its length, and the version.
                hello += [22, 3, 1, 64, 0] + (number == 0 ? [1, 2, 0, 0, 3, 3] : [])
                hello += [UInt8](repeating: 3, count: number == 0 ? 16378 : 16384)
            }
            var peers: [(RawPeer, Connection)] = []
            var heap = 0
            for number in 0...count {
                // The first connection creates objects that a process creates once.
                if number == 1 { heap = Platform.heapInUse }
                let (raw, connection) = try bench.sockets.connect()
                try bench.sockets.send(hello.dropLast(), from: raw)
                try check.turns(bench.loop, 3)
                peers.append((raw, connection))
            }
            let each = (Platform.heapInUse - heap) / count
            check.note("each stalled handshake takes \(each) bytes")
            check.expect(each <= memoryLimit, "a handshake takes at most \(memoryLimit) bytes", seen: "\(each)")
            for (raw, connection) in peers {
                connection.abort()
                raw.close()
            }
            bench.end()
        }
    }
#endif
