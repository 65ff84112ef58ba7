// SPDX-License-Identifier: MIT
#if TLS
    import COpenSSL
    import LoopTestSupport
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets
    import SchedulerConformance
    import SchedulerEngine
    import Testing

    @testable import ReactiveTLS

    /// What remains of TLS after a connection has ended.
    @Suite struct EndTests {
        private enum End: CaseIterable { case close, abort }

        /// The place of a counter in each session. OpenSSL calls the closure when it frees a session.
        private static let place = CRYPTO_get_ex_new_index(
            CRYPTO_EX_INDEX_SSL,
            0,
            nil,
            nil,
            nil,
            { _, counter, _, _, _, _ in
                guard let counter else { return }
                Unmanaged<Box<Int>>.fromOpaque(counter).takeUnretainedValue().update { $0 += 1 }
            }
        )

        /// The two ends of a connection with TLS up to a version: the server's and the client's.
        private func connections(
            on loop: any LoopScheduler,
            _ version: TLSVersion
        ) throws -> (server: Connection, client: Connection) {
            var settings = Certificates.shared.server()
            settings.maximumVersion = version
            let (server, client) = (try TLSContext(settings), try TLSContext(Certificates.shared.client()))
            let (near, far) = Descriptor.sockets()
            return (
                try Connection(adopting: near, loop: loop, transformer: server.server()),
                try Connection(adopting: far, loop: loop, transformer: client.client(host: "localhost")())
            )
        }

        @Test(
            "A connection that receives nothing ends when both sides have ended",
            arguments: LoopKind.all,
            [(TLSVersion.tls12, true), (.tls13, true), (.tls13, false)]
        )
        func bothEnds(kind: LoopKind, _ variant: (version: TLSVersion, isPeerFirst: Bool)) throws {
            let loop = try kind.make()
            defer { loop.dispose() }
            let (peer, client) = try connections(on: loop, variant.version)
            let (received, ends) = (peer.received.log(), [peer.ended.log(), client.ended.log()])
            client.send("x")
            try loop.turns { !received.values.isEmpty }
            // Tickets of the server wait at the client, or the end.
            if variant.isPeerFirst { peer.finishSending() } else { client.finishSending() }
            try loop.turns(20)
            if variant.isPeerFirst { client.finishSending() } else { peer.finishSending() }
            try loop.turns { ends.allSatisfy(\.hasEnded) }
            #expect(ends.allSatisfy { $0.isCompleted })
            try loop.expectNothingLeft()
        }

        @Test(
            "A connection whose paused receiver is disposed ends when both sides have ended",
            arguments: LoopKind.all,
            [TLSVersion.tls12, .tls13]
        )
        func pausedReceiver(kind: LoopKind, version: TLSVersion) throws {
            let loop = try kind.make()
            defer { loop.dispose() }
            let (peer, client) = try connections(on: loop, version)
            let (received, ends) = (peer.received.log(), [peer.ended.log(), client.ended.log()])
            let (reader, end) = (SignalSubscription(), client.endOfStream.log())
            client.received.subscribe(in: reader, onValue: { _ in }, onTermination: { _ in })
            client.send("x")
            try loop.turns { !received.values.isEmpty }
            let pause = reader.pause()
            peer.finishSending()
            try loop.turns(20)
            client.finishSending()
            try loop.turns(20)
            reader.dispose()
            pause.dispose()
            try loop.turns { ends.allSatisfy(\.hasEnded) && end.hasEnded }
            #expect(ends.allSatisfy { $0.isCompleted })
            try loop.expectNothingLeft()
        }

        @Test(
            "A closed connection that is retained has freed its session, and has no info",
            arguments: LoopKind.all,
            [TLSVersion.tls12, .tls13]
        )
        func retained(kind: LoopKind, version: TLSVersion) throws {
            for end in End.allCases { try retained(kind, version, end) }
        }

        private func retained(_ kind: LoopKind, _ version: TLSVersion, _ end: End) throws {
            let loop = try kind.make()
            defer { loop.dispose() }
            let (server, client) = try connections(on: loop, version)
            let connections = [server, client]
            let ended = connections.map { $0.ended.log() }
            let received = connections.map { $0.received.log() }
            for connection in connections { connection.send("x") }
            try loop.turns { received.allSatisfy { !$0.values.isEmpty } }
            let (freed, before, after) = (Box(0), Box<[TLSInfo?]>([]), Box<[TLSInfo?]>([]))
            loop.execute {
                before.value = connections.map(\.tlsInfo)
                for case let session as TLSSession in connections.map(\.currentTransformer) {
                    let counter = Unmanaged.passUnretained(freed).toOpaque()
                    SSL_set_ex_data(session.session, Self.place, counter)
                }
            }
            try loop.turns { before.value.count == 2 }
            #expect(before.value.allSatisfy { $0?.version == version })
            #expect(before.value[1]?.peerCertificate != nil)
            switch end {
            case .close: for connection in connections { connection.close() }
            case .abort: connections[0].abort()
            }
            try loop.turns { ended.allSatisfy { $0.hasEnded } }
            #expect(freed.value == 2)
            loop.execute { after.value = connections.map(\.tlsInfo) }
            try loop.turns { after.value.count == 2 }
            #expect(after.value == [nil, nil])
            try loop.expectNothingLeft()
        }
    }
#endif
