// SPDX-License-Identifier: MIT
#if TLS
    import Glibc
    import LoopTestSupport
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets
    import SchedulerConformance
    import SchedulerEngine
    import Testing

    @testable import ReactiveTLS

    /// Ends in each state of a handshake that asks for its context.
    @Suite struct AbortTests {
        private let certificates = Certificates.shared

        private enum Action: CaseIterable {
            case abortServer, abortClient, closeServer, closeClient, garbageFromClient
        }

        @Test("Either side may end after any turn", arguments: LoopKind.all, [TLSVersion.tls12, .tls13])
        func ends(kind: LoopKind, version: TLSVersion) throws {
            let loop = try kind.make()
            defer { loop.dispose() }
            let own = try TLSContext(certificates.server())
            var settings = certificates.server()
            settings.contextForServerName = { _ in
                Signal<TLSContext, any Error> { emitter, _ in
                    loop.execute { loop.execute { emitter.send(own) } }
                }
            }
            let (server, client) = (try TLSContext(settings), try certificates.client(version))
            for turns in 0..<12 {
                for action in Action.allCases { try play(action, after: turns, server, client, loop) }
            }
            try loop.expectNothingLeft()
        }

        private func play(
            _ action: Action,
            after turns: Int,
            _ server: TLSContext,
            _ client: TLSContext,
            _ loop: any LoopScheduler
        ) throws {
            let (near, far) = Descriptor.sockets()
            // A duplicate, because the connection owns the descriptor.
            let copy = action == .garbageFromClient ? dup(far) : -1
            defer { if copy >= 0 { close(copy) } }
            let served = try Connection(adopting: near, loop: loop, transformer: server.server())
            let asking = try Connection(adopting: far, loop: loop, transformer: client.client(host: "localhost")())
            let (ends, received) = (Box(0), Box(""))
            served.ended.subscribe(onTermination: { _ in ends.update { $0 += 1 } })
            asking.ended.subscribe(onTermination: { _ in ends.update { $0 += 1 } })
            served.send(from: served.received)
            asking.received.subscribe(
                onValue: { bytes in received.update { $0 += "\(bytes)" } },
                onTermination: { _ in }
            )
            asking.send("hello")
            try loop.turns(turns)
            switch action {
            case .abortServer: served.abort()
            case .abortClient: asking.abort()
            case .closeServer: served.close(within: .zero)
            case .closeClient: asking.close(within: .zero)
            case .garbageFromClient: Descriptor.put("\u{17}\u{3}\u{3}garbage that no key has encrypted", to: copy)
            }
            try loop.turns(12)
            #expect("hello".hasPrefix(received.value), "\(action) after \(turns) turns")
            served.abort()
            asking.abort()
            try loop.turns { ends.value == 2 }
        }
    }
#endif
