// SPDX-License-Identifier: MIT
#if HTTP
    import HTTPTypes
    import LoopTestSupport
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets
    import SchedulerConformance
    import Testing

    @testable import ReactiveHTTP

    /// Disposal, stop and the end of the loop at every stage of a request.
    @Suite struct ClientDisposalTests {
        private final class Witness: Sendable {}

        enum Stage: String, CaseIterable {
            case sent, connecting, waiting, uploading, headReceived, bodyPaused, bodyRead, idle, redirecting
        }

        enum Ending: String, CaseIterable {
            case dispose, stop, disposeLoop, releaseClient
        }

        @Test("Every ending at every stage releases everything", arguments: LoopKind.all, Stage.allCases)
        func ending(_ kind: LoopKind, _ stage: Stage) throws {
            for ending in Ending.allCases {
                weak var seen: Witness?
                try run(kind, stage, ending) { witness in seen = witness }
                #expect(seen == nil, "\(ending)")
            }
        }

        private func run(_ kind: LoopKind, _ stage: Stage, _ ending: Ending, _ observe: (Witness) -> Void) throws {
            let loop = try kind.make()
            defer { loop.dispose() }
            let raw = RawServer()
            var configuration = HTTPClientConfiguration()
            configuration.connectionsPerOrigin = 1
            configuration.redirects = .follow(limit: 3)
            var client: HTTPClient? = HTTPClient(loops: LoopGroup(loop), configuration: configuration)
            var witness: Witness? = Witness()
            observe(try #require(witness))
            let source = Subject<Bytes, HTTPError>()
            var request = HTTPRequestMessage.get(raw.url)
            if stage == .uploading { request = .put(raw.url, body: HTTPBody(source)) }
            let terminations = Box(0)
            let blocking = stage == .waiting ? Answer(try #require(client).send(.get(raw.url))) : nil
            let (response, subscription, bodySubscription) = (
                Box<HTTPResponseMessage?>(nil), SignalSubscription(), SignalSubscription()
            )
            try #require(client).send(request).subscribe(
                in: subscription,
                onValue: { [witness] value in withExtendedLifetime(witness) { response.value = value } },
                onTermination: { [witness] _ in withExtendedLifetime(witness) { _ = terminations.increment() } }
            )
            var peer: RawPeer?
            if stage != .sent {
                try loop.turns {
                    peer = raw.accept()
                    return peer != nil
                }
            }
            if stage == .uploading || stage == .headReceived || stage == .bodyPaused || stage == .bodyRead {
                try loop.turns(5)
                source.send("data")
                peer?.send(Array("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhell".utf8))
                try loop.turns { response.value != nil }
            }
            if stage == .redirecting {
                peer?.send(Array("HTTP/1.1 302 X\r\nLocation: /x\r\nContent-Length: 9\r\n\r\n".utf8))
                try loop.turns(4)
            }
            if stage == .idle {
                peer?.send(Array(ClientFixture.empty.utf8))
                try loop.turns { response.value != nil }
            }
            if stage == .bodyRead || stage == .bodyPaused {
                let pause = stage == .bodyPaused ? bodySubscription.pause() : nil
                response.value?.body.signal.subscribe(
                    in: bodySubscription,
                    onValue: { [witness] _ in withExtendedLifetime(witness) {} },
                    onTermination: { [witness] _ in withExtendedLifetime(witness) {} }
                )
                withExtendedLifetime(pause) {}
                if stage == .bodyPaused { peer?.send(Array("o".utf8)) }
                try loop.turns(5)
            }
            witness = nil
            switch ending {
            case .dispose:
                subscription.dispose()
                bodySubscription.dispose()
                blocking?.subscription.dispose()
                response.value = nil
            case .stop:
                let hasStopped = Box(false)
                try #require(client).stop().subscribe(onTermination: { _ in hasStopped.value = true })
                try loop.turns { hasStopped.value }
                #expect(terminations.value == 1)
                response.value = nil
            case .disposeLoop:
                loop.dispose()
                response.value = nil
                client = nil
                return
            case .releaseClient:
                client = nil
                response.value = nil
                bodySubscription.dispose()
                subscription.dispose()
                blocking?.subscription.dispose()
            }
            peer?.close()
            raw.close()
            try loop.turns { (client?.connectionCount ?? 0) == 0 || stage == .idle }
            try loop.turns(20)
        }

        @Test("A disposed loop refuses requests", arguments: LoopKind.all)
        func disposedLoop(_ kind: LoopKind) throws {
            let fixture = try ClientFixture(kind)
            fixture.loop.dispose()
            let answer = fixture.get()
            #expect(answer.error?.code == .closed)
            let hasStopped = Box(false)
            fixture.client.stop().subscribe(onTermination: { _ in hasStopped.value = true })
            #expect(hasStopped.value)
        }

        @Test("A subscriber that sends the next request from the end of the last one", arguments: LoopKind.all)
        func recursion(_ kind: LoopKind) throws {
            let fixture = try ClientFixture(kind)
            let (server, url) = try fixture.serve(.function { _ in .ok("x") })
            let (client, count) = (fixture.client, Box(0))
            @Sendable func next() {
                client.send(.get(url)).subscribe(
                    onValue: { response in
                        response.body.signal.subscribe(
                            onValue: { _ in },
                            onTermination: { _ in if count.increment() < 2000 { next() } }
                        )
                    },
                    onTermination: { _ in }
                )
            }
            next()
            try fixture.loop.turns { count.value == 2000 }
            #expect(server.totals.accepted == 1)
            // Failures that arrive inside `subscribe` must not use the stack either.
            let failures = Box(0)
            @Sendable func fail() {
                client.send(.get("http://\(RawSocket.closedAddress)/")).subscribe(
                    onValue: { _ in },
                    onTermination: { _ in if failures.increment() < 1000 { fail() } }
                )
            }
            fail()
            try fixture.loop.turns { failures.value == 1000 }
        }
    }
#endif
