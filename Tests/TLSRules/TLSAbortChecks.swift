// SPDX-License-Identifier: MIT
#if TLS
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets
    import ReactiveTLS
    import SchedulerConformance

    /// TLS9: ends in each state of the handshake.
    enum TLSAbortChecks {
        /// What ends the handshake.
        private enum Way: CaseIterable {
            case peerResets
            case peerEnds
            case aborted
            case closed
        }

        /// The number of parts of the peer's handshake that arrive: its first flight is two parts, and its second one too.
        private static let stages = 0...4
        /// What a connection may leave behind, in bytes, such as entries of a table that has grown.
        private static let growthLimit = 2048

        static func aborting(_ check: Check) throws {
            let loop = try check.loop()
            // The first round creates one-time objects.
            try round(check, loop)
            var (growth, count) = (Int.max, 0)
            for _ in 0..<3 where growth > growthLimit {
                let (heap, notes) = (Platform.heapInUse, check.trace.count)
                count = try round(check, loop)
                growth = (Platform.heapInUse - heap - (check.trace.count - notes) * 200) / count
            }
            check.expect(growth <= growthLimit, "ended handshakes leave nothing behind", seen: "\(growth) bytes each")
            for stage in stages {
                try dispose(check, stage, isClient: false)
                try dispose(check, stage, isClient: true)
            }
        }

        /// Ends a connection in each state and each way. Returns the number of connections.
        @discardableResult
        private static func round(_ check: Check, _ loop: any LoopScheduler) throws -> Int {
            let bench = try TLSBench(check, loop)
            let held = check.description.holdings?(loop)
            var count = 0
            for stage in stages {
                for way in Way.allCases {
                    try end(bench, stage, way, isClient: false)
                    try end(bench, stage, way, isClient: true)
                    count += 2
                    check.equal(
                        check.description.holdings?(loop),
                        held,
                        "what the loop holds after \(way) in stage \(stage)"
                    )
                }
            }
            bench.end()
            return count
        }

        private static func connect(_ bench: TLSBench, isClient: Bool) throws -> (TLSPeer, Connection) {
            if !isClient { return try bench.connect() }
            let (connection, peer) = try bench.clientAndServer()
            return (peer, connection)
        }

        /// Sends that many parts of the peer's handshake.
        private static func advance(_ bench: TLSBench, _ peer: TLSPeer, to stage: Int) throws {
            for part in 0..<stage {
                if part.isMultiple(of: 2) {
                    try bench.check.turns(bench.loop, until: "part \(part) of the peer's handshake is ready") {
                        peer.readSocket()
                        peer.advance()
                        return !peer.outbox.isEmpty
                    }
                    let rest = peer.outbox.suffix(peer.outbox.count / 2)
                    peer.outbox.removeLast(rest.count)
                    try bench.send(peer)
                    peer.outbox = Array(rest)
                } else {
                    try bench.send(peer)
                }
                try bench.check.turns(bench.loop, 3)
            }
        }

        private static func end(_ bench: TLSBench, _ stage: Int, _ way: Way, isClient: Bool) throws {
            let (check, loop) = (bench.check, bench.loop)
            let (peer, connection) = try connect(bench, isClient: isClient)
            let (received, ended) = (connection.received.log(), connection.ended.log())
            let sent = connection.send("early").log()
            try advance(bench, peer, to: stage)
            check.expect(!ended.hasEnded, "a connection in stage \(stage) is open", seen: ended.message)
            switch way {
            case .peerResets: peer.raw.reset()
            case .peerEnds: peer.raw.finish()
            case .aborted: connection.abort()
            case .closed:
                connection.close()
                try check.turns(loop, 2)
                peer.raw.reset()
            }
            let what = "\(way) in stage \(stage) of a \(isClient ? "client" : "server")"
            try check.turns(loop, until: "everything terminates after \(what)") {
                ended.hasEnded && received.hasEnded && sent.hasEnded
            }
            try check.turns(loop, 5)
            switch way {
            case .peerResets: check.equal(received.code, .reset, "the code of \(what)")
            case .peerEnds: check.equal(received.tlsCode, .truncated, "the TLS code of \(what)")
            case .aborted, .closed: check.equal(received.code, .closed, "the code of \(what)")
            }
            check.equal(
                [ended.ends.count, received.ends.count, sent.ends.count, received.values.count],
                [1, 1, 1, 0],
                "terminations and chunks after \(what)"
            )
            peer.raw.close()
        }

        /// The disposal of the loop closes the socket, and notifies no subscriber.
        private static func dispose(_ check: Check, _ stage: Int, isClient: Bool) throws {
            let bench = try TLSBench(check, try check.loop())
            let (peer, connection) = try connect(bench, isClient: isClient)
            let (received, ended) = (connection.received.log(), connection.ended.log())
            try advance(bench, peer, to: stage)
            let before = ended.ends.count
            bench.loop.dispose()
            check.equal(
                [ended.ends.count, received.ends.count, received.values.count],
                [before, 0, 0],
                "terminations and chunks after the disposal in stage \(stage)"
            )
            // The socket may still contain bytes before the end.
            try check.wait(until: "the disposal in stage \(stage) closes the socket") {
                peer.step()
                return peer.end != nil
            }
            peer.raw.close()
        }
    }
#endif
