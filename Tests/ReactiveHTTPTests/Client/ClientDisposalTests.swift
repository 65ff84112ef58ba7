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

        @Test("A client on a main loop that could not be created fails with the reason")
        func refusingMainLoop() async {
            // In a process of its own, because the limit of descriptors belongs to the process.
            await #expect(processExitsWith: .success) {
                for kind in LoopKind.all {
                    let client = HTTPClient(loops: LoopGroup(kind.mainWithoutDescriptors))
                    let failure = Box<HTTPError?>(nil)
                    client.send(.get("http://127.0.0.1:1/")).subscribe(
                        onValue: { _ in },
                        onTermination: { if case .failed(let error) = $0 { failure.value = error } }
                    )
                    let error = try #require(failure.value)
                    #expect(error.code == .connection && error.message.contains("could not be created"), "\(error)")
                    #expect((error.cause as? SocketError)?.code == .outOfDescriptors)
                }
            }
        }

        /// A request on its way, and everything that can end it.
        private final class Scene {
            let loop: any LoopScheduler
            let raw = RawServer()
            var client: HTTPClient?
            let source = Subject<Bytes, HTTPError>()
            let (subscription, bodySubscription) = (SignalSubscription(), SignalSubscription())
            let (response, terminations) = (Box<HTTPResponseMessage?>(nil), Box(0))
            var blocking: Answer?
            var peer: RawPeer?

            init(_ kind: LoopKind, _ stage: Stage, _ witness: Witness) throws {
                loop = try kind.make()
                var configuration = HTTPClientConfiguration()
                configuration.connectionsPerOrigin = 1
                configuration.redirects = .follow(limit: 3)
                let client = HTTPClient(loops: LoopGroup(loop), configuration: configuration)
                self.client = client
                if stage == .waiting { blocking = Answer(client.send(.get(raw.url))) }
                let upload = HTTPRequestMessage.put(raw.url, body: HTTPBody(source))
                client.send(stage == .uploading ? upload : .get(raw.url)).subscribe(
                    in: subscription,
                    onValue: { [response] value in withExtendedLifetime(witness) { response.value = value } },
                    onTermination: { [terminations] _ in withExtendedLifetime(witness) { _ = terminations.increment() }
                    }
                )
            }

            /// Stops the client, checks that it has left nothing on the loop, and disposes the loop.
            deinit {
                client?.stop()
                loop.expectNothingLeftAndDispose { Issue.record($0) }
            }

            func accept() throws {
                try loop.turns {
                    peer = raw.accept()
                    return peer != nil
                }
            }

            func answer(_ text: String) throws {
                peer?.send(Array(text.utf8))
                try loop.turns { response.value != nil }
            }

            func readBody(_ witness: Witness, isPaused: Bool) throws {
                if isPaused { _ = bodySubscription.pause() }
                // The subscriber retains the body.
                let response = response.value
                response?.body.signal.subscribe(
                    in: bodySubscription,
                    onValue: { _ in withExtendedLifetime(witness) {} },
                    onTermination: { _ in withExtendedLifetime((witness, response)) {} }
                )
                if isPaused { peer?.send(Array("o".utf8)) }
                try loop.turns(5)
            }

            func dispose() {
                for last in [subscription, bodySubscription, blocking?.subscription] { last?.dispose() }
                response.value = nil
            }
        }

        private func run(_ kind: LoopKind, _ stage: Stage, _ ending: Ending, _ observe: (Witness) -> Void) throws {
            let witness = Witness()
            observe(witness)
            let scene = try Scene(kind, stage, witness)
            if stage != .sent { try scene.accept() }
            switch stage {
            case .sent, .connecting, .waiting: break
            case .uploading, .headReceived, .bodyPaused, .bodyRead:
                try scene.loop.turns(5)
                scene.source.send("data")
                try scene.answer("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhell")
            case .idle: try scene.answer(ClientFixture.empty)
            case .redirecting:
                scene.peer?.send(Array("HTTP/1.1 302 X\r\nLocation: /x\r\nContent-Length: 9\r\n\r\n".utf8))
                try scene.loop.turns(4)
            }
            if stage == .bodyRead || stage == .bodyPaused {
                try scene.readBody(witness, isPaused: stage == .bodyPaused)
            }
            try end(scene, ending, stage)
        }

        private func end(_ scene: Scene, _ ending: Ending, _ stage: Stage) throws {
            switch ending {
            case .dispose: scene.dispose()
            case .stop:
                let hasStopped = Box(false)
                scene.client?.stop().subscribe(onTermination: { _ in hasStopped.value = true })
                try scene.loop.turns { hasStopped.value }
                #expect(scene.terminations.value == 1)
                scene.response.value = nil
            case .disposeLoop:
                scene.loop.dispose()
                scene.response.value = nil
                scene.client = nil
                return
            case .releaseClient:
                scene.client = nil
                scene.dispose()
            }
            scene.peer?.close()
            scene.raw.close()
            try scene.loop.turns { (scene.client?.connectionCount ?? 0) == 0 || stage == .idle }
            try scene.loop.turns(20)
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
