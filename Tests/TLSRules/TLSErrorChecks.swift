// SPDX-License-Identifier: MIT
#if TLS
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets
    import ReactiveTLS
    import SchedulerConformance

    /// TLS7, TLS12: errors, and the alerts that go with them.
    enum TLSErrorChecks {
        static func plainText(_ check: Check) throws {
            let bench = try TLSBench(check, try check.loop())
            for text in [
                "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", "hello, is there anybody?\r\n", "\0\u{1}\u{2}\u{3}\u{4}",
            ] {
                try toServer(Array(text.utf8), bench)
                try toClient(Array(text.utf8), bench)
            }
            try echoed(bench)
            bench.end()
        }

        private static func toServer(_ text: [UInt8], _ bench: TLSBench) throws {
            let (raw, connection) = try bench.sockets.connect()
            let log = connection.received.log()
            raw.send(text)
            try expectNotTLS(raw, log, bench, "a TLS server that receives plain text")
            connection.abort()
            raw.close()
        }

        private static func toClient(_ text: [UInt8], _ bench: TLSBench) throws {
            let (connection, peer) = try bench.clientAndServer()
            let log = connection.received.log()
            try bench.check.turns(bench.loop, until: "the hello has arrived") {
                if case .bytes = peer.raw.receive() { true } else { false }
            }
            peer.raw.send(text)
            try expectNotTLS(peer.raw, log, bench, "a TLS client that receives plain text")
            connection.abort()
            peer.raw.close()
        }

        private static func expectNotTLS(
            _ raw: RawPeer,
            _ log: Log<Bytes, SocketError>,
            _ bench: TLSBench,
            _ what: String
        ) throws {
            let check = bench.check
            try check.turns(bench.loop, until: "the connection fails") { log.hasEnded }
            check.equal(log.code, .tls, "the code of \(what)")
            check.equal(log.tlsCode, .notTLS, "the TLS code of \(what)")
            try expectAlert(raw, bench, 10, what)
        }

        /// Expects that a peer receives a fatal alert that is not encrypted, and nothing else.
        private static func expectAlert(_ raw: RawPeer, _ bench: TLSBench, _ number: UInt8, _ what: String) throws {
            var answer = try bench.sockets.receiveToEnd(at: raw).bytes
            // The version has no meaning (RFC 8446 section 5.1).
            if answer.count > 2 { answer[2] = 3 }
            bench.check.equal(answer, [21, 3, 3, 0, 2, 2, number], "the answer of \(what)")
        }

        /// A server without TLS returns the client's hello.
        private static func echoed(_ bench: TLSBench) throws {
            let (connection, peer) = try bench.clientAndServer()
            let log = connection.received.log()
            var hello: [UInt8] = []
            try bench.check.turns(bench.loop, until: "the hello has arrived") {
                if case .bytes(let bytes) = peer.raw.receive() { hello += bytes }
                return !hello.isEmpty
            }
            peer.raw.send(hello)
            try bench.check.turns(bench.loop, until: "the connection fails") { log.hasEnded }
            bench.check.equal(log.tlsCode, .malformed, "the TLS code of a client that receives its own hello")
            try expectAlert(peer.raw, bench, 10, "a client that receives its own hello")
            connection.abort()
            peer.raw.close()
        }

        // MARK: Refusals

        static func refusals(_ check: Check) throws {
            let seen = try messages(check, on: try check.loop())
            for other in check.peers.dropFirst().prefix(1) {
                let others = try messages(check, on: try check.loop(of: other, isOwned: false))
                check.equal(seen, others, "the messages, which are those of \(other.name)")
            }
        }

        /// Checks the codes and the alerts. Returns the messages.
        private static func messages(_ check: Check, on loop: any LoopScheduler) throws -> [String] {
            let certificates = TestCertificates.shared
            let bench = try TLSBench(check, loop)
            var messages = [
                try refusesServer(bench, certificates.other, .wrongHost, 42),
                try refusesServer(bench, certificates.expired, .certificateExpired, 45),
                try refusesServer(bench, certificates.foreign, .unknownIssuer, 48),
            ]
            messages += try garbage(bench)
            bench.end()
            var strict = certificates.valid.server
            strict.minimumVersion = .tls13
            let strictBench = try TLSBench(check, loop, strict)
            let (peer, connection) = try strictBench.connect(version: .tls12)
            messages.append(
                try expect(strictBench, peer, connection, .noCommonVersion, 70, "a client of TLS 1.2 only")
            )
            strictBench.end()
            return messages
        }

        private static func refusesServer(
            _ bench: TLSBench,
            _ identity: TestCertificates.Identity,
            _ code: TLSError.Code,
            _ alert: Int32
        ) throws -> String {
            let (connection, peer) = try bench.clientAndServer(TestCertificates.shared.client, identity)
            return try expect(bench, peer, connection, code, alert, "a server whose certificate has the defect \(code)")
        }

        /// Expects that the connection fails with the code, and that the peer receives the alert. Returns the message.
        private static func expect(
            _ bench: TLSBench,
            _ peer: TLSPeer,
            _ connection: Connection,
            _ code: TLSError.Code,
            _ alert: Int32,
            _ what: String
        ) throws -> String {
            let check = bench.check
            let log = connection.received.log()
            try bench.turns(peer, until: "both sides have failed") { log.hasEnded && peer.end != nil }
            let late = connection.send("late").log()
            try check.turns(bench.loop, until: "a later send has failed") { late.hasEnded }
            check.equal([log.code, late.code], [.tls, .tls], "the codes of the receiver and a send, with \(what)")
            check.equal(log.tlsCode, code, "the TLS code, with \(what)")
            check.equal(peer.phase, .alerted(alert), "the session of \(what)")
            check.equal(peer.received, [], "bytes that \(what) received")
            peer.raw.close()
            return log.message
        }

        /// Records that are not allowed, before and after the handshake.
        private static func garbage(_ bench: TLSBench) throws -> [String] {
            let check = bench.check
            var messages: [String] = []
            // Application data before a hello, a hello of random bytes, and a record that is too long.
            let records: [([UInt8], TLSError.Code, UInt8)] = [
                ([23, 3, 3, 0, 4, 1, 2, 3, 4], .malformed, 10), ([22, 3, 1, 0, 5, 1, 0, 0, 1, 7], .malformed, 50),
                ([22, 3, 3, 0xff, 0xff] + [UInt8](repeating: 1, count: 100), .recordTooLarge, 22),
            ]
            for (record, code, alert) in records {
                let (raw, connection) = try bench.sockets.connect()
                let log = connection.received.log()
                raw.send(record)
                try check.turns(bench.loop, until: "the connection fails") { log.hasEnded }
                check.equal(log.tlsCode, code, "the TLS code of the record \(record.prefix(9))")
                try expectAlert(raw, bench, alert, "a server that receives the record \(record.prefix(9))")
                messages.append(log.message)
                raw.close()
            }
            let (peer, connection) = try bench.established()
            peer.write([1, 2, 3])
            peer.outbox[peer.outbox.count - 1] ^= 1
            messages.append(try expect(bench, peer, connection, .badRecord, 20, "a peer that sends a changed record"))
            return messages
        }
    }
#endif
