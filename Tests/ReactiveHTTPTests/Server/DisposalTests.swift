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

    @Suite("Disposal of a loop with HTTP connections")
    struct DisposalTests {
        private final class Witness: Sendable {}

        enum Stage: String, CaseIterable {
            case idle, readingBody, waitingForService, sendingBody, upgraded
        }

        @Test("A disposed loop releases its connections in every state", arguments: LoopKind.all, Stage.allCases)
        func disposal(_ kind: LoopKind, _ stage: Stage) throws {
            weak var seen: Witness?
            try serve(kind, stage) { witness in seen = witness }
            #expect(seen == nil)
        }

        private func serve(_ kind: LoopKind, _ stage: Stage, _ observe: (Witness) -> Void) throws {
            let witness = Witness()
            observe(witness)
            let source = Subject<Bytes, HTTPError>()
            let began = Box(false)
            let fixture = try HTTPFixture(kind) {
                (request: HTTPRequestMessage) -> Signal<HTTPResponseMessage, HTTPError> in
                withExtendedLifetime(witness) { began.value = true }
                switch stage {
                case .idle: return .just(.ok("done"))
                case .readingBody:
                    // The subscriber retains the body.
                    return request.body.bytes().map { bytes in withExtendedLifetime((request, witness)) { .ok(bytes) } }
                case .waitingForService: return .never
                case .sendingBody: return .just(.ok(HTTPBody(source)))
                case .upgraded:
                    return .just(.upgrade(to: "echo") { upgrade in upgrade.received })
                }
            }
            let client = try fixture.connect()
            let fields = stage == .readingBody ? "Content-Length: 10\r\n" : "Connection: upgrade\r\nUpgrade: echo\r\n"
            try fixture.send("POST / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n", from: client)
            if stage == .readingBody { try fixture.send("12345", from: client) }
            try fixture.loop.turns { began.value }
            source.send("begun")
            try fixture.loop.turns(3)
            fixture.loop.dispose()
            client.close()
        }

        @Test("A disposed loop disposes the subscription to a response that is awaited", arguments: LoopKind.all)
        func awaited(_ kind: LoopKind) throws {
            let (began, isDisposed) = (Box(false), Box(false))
            let fixture = try HTTPFixture(kind) { (_: HTTPRequestMessage) -> Signal<HTTPResponseMessage, HTTPError> in
                Signal { _, subscription in
                    began.value = true
                    subscription.onDispose { isDisposed.value = true }
                }
            }
            let client = try fixture.connect()
            try fixture.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n", from: client)
            try fixture.loop.turns { began.value }
            fixture.loop.dispose()
            #expect(isDisposed.value)
            client.close()
        }
    }
#endif
