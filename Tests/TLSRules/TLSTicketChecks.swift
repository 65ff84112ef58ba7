// SPDX-License-Identifier: MIT
#if TLS
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets
    import ReactiveTLS
    import SchedulerConformance

    /// TLS10: session tickets across the loops of a group.
    enum TLSTicketChecks {
        static func resuming(_ check: Check) throws {
            for version in [TLSVersion.tls12, .tls13] {
                let group = try LoopGroup(count: 2) { _ in try check.loop() }
                try resume(check, group, version)
            }
        }

        private static func resume(_ check: Check, _ group: LoopGroup, _ version: TLSVersion) throws {
            let loops = group.loops
            let served = Recorder<String>()
            let server = try Server(
                on: .loopback(port: 0),
                loops: group,
                transformer: TLSContext(TestCertificates.shared.valid.server).server
            ) { connection in
                served.append(connection.loop.name)
                return connection.send(from: connection.received)
            }
            var settings = TestCertificates.shared.client
            settings.maximumVersion = version
            let client = try TLSContext(settings)
            // The kernel picks the loop of each connection at random.
            var (moves, number) = (0, 0)
            while moves < 2, number < 64 {
                let isResumed = try visit(check, loops, server.localAddress, client)
                check.equal(
                    isResumed,
                    number > 0,
                    "whether connection \(number) of \(version) resumes the last session"
                )
                let names = served.values
                if names.count > 1, names[names.count - 1] != names[names.count - 2] { moves += 1 }
                number += 1
            }
            check.equal(moves, 2, "resumptions on another loop, in \(number) connections")
            let stopped = server.stop().log()
            try turns(check, loops, until: "the server has stopped") { stopped.hasEnded }
        }

        /// Sends a byte to the server, receives it back, and closes the connection. Returns whether it was resumed.
        private static func visit(
            _ check: Check,
            _ loops: [any LoopScheduler],
            _ address: SocketAddress,
            _ context: TLSContext
        ) throws -> Bool {
            let arrived = Box<Connection?>(nil)
            let settings = ConnectSettings(transformer: context.client(host: "localhost"))
            Connection.connect(to: address, loop: loops[0], settings: settings).subscribe(
                onValue: { arrived.value = $0 },
                onTermination: check.noFailure(of: "connecting")
            )
            try turns(check, loops, until: "the client is connected") { arrived.value != nil }
            guard let connection = arrived.value else { throw Broken("a connection", "none") }
            let (log, ended) = (connection.received.log(), connection.ended.log())
            connection.send("x")
            try turns(check, loops, until: "the echo is received") { log.hasEnded || !log.bytes.isEmpty }
            check.equal(String(decoding: log.bytes, as: UTF8.self), "x", "the echo (\(log.message))")
            let info = Box<TLSInfo?>(nil)
            loops[0].execute { info.value = connection.tlsInfo }
            try turns(check, loops, until: "the session is known") { info.value != nil }
            connection.finishSending()
            try turns(check, loops, until: "the connection has ended") { log.hasEnded && ended.hasEnded }
            return info.value?.isResumed ?? false
        }

        private static func turns(
            _ check: Check,
            _ loops: [any LoopScheduler],
            until what: String,
            _ isDone: () -> Bool
        ) throws {
            try check.turns(loops[0], until: what) {
                for loop in loops.dropFirst() { try loop.runOnce(waiting: false) }
                return isDone()
            }
        }
    }
#endif
