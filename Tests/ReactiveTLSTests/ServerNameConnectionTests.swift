// SPDX-License-Identifier: MIT
#if TLS
    import LoopTestSupport
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets
    import SchedulerConformance
    import SchedulerEngine
    import Testing

    @testable import ReactiveTLS

    private struct UnknownHost: Error {}

    /// The choice of a context by the client's host name, on each loop.
    @Suite struct ServerNameConnectionTests {
        private let certificates = Certificates.shared

        /// A server's connection whose context is chosen, and its client.
        private final class Bench: Sendable {
            let loop: any LoopScheduler
            let context: TLSContext
            let client: Connection
            let server = Box<Connection?>(nil)
            let received = Box("")
            let failure = Box<SocketError?>(nil)
            let serverEnd = Box<Termination<SocketError>?>(nil)

            init(
                _ kind: LoopKind,
                _ certificates: Certificates,
                timeout: Duration? = nil,
                _ choose: @escaping @Sendable (TLSContext) -> Signal<TLSContext, any Error>
            ) throws {
                loop = try kind.make(thread: .owned)
                let context = try TLSContext(certificates.server())
                self.context = context
                var settings = certificates.server()
                settings.contextForServerName = { _ in choose(context) }
                if let timeout { settings.handshakeTimeout = timeout }
                let (near, far) = Descriptor.sockets()
                let listener = try TLSContext(settings)
                let served = try Connection(adopting: near, loop: loop, transformer: listener.server())
                server.value = served
                client = try Connection(
                    adopting: far,
                    loop: loop,
                    transformer: try TLSContext(certificates.client()).client(host: "localhost")()
                )
                served.ended.subscribe(onTermination: { [serverEnd] in serverEnd.value = $0 })
                client.received.subscribe(
                    onValue: { [received] bytes in received.update { $0 += "\(bytes)" } },
                    onTermination: { [failure] termination in
                        if case .failed(let error) = termination { failure.value = error }
                    }
                )
            }

            /// Closes both ends, checks that they have left nothing on the loop, and disposes the loop.
            func end() {
                client.abort()
                server.value?.abort()
                loop.expectNothingLeftAndDispose { Issue.record($0) }
            }
        }

        @Test("An answer may come from any thread, and more than once", arguments: LoopKind.all)
        func otherThread(kind: LoopKind) async throws {
            let bench = try Bench(kind, certificates) { context in
                Signal { emitter, _ in
                    for _ in 0..<4 {
                        _ = TestThread {
                            emitter.send(context)
                            emitter.complete()
                        }
                    }
                }
            }
            defer { bench.end() }
            bench.server.value?.send("early")
            bench.client.send("hello")
            bench.server.value?.send(from: bench.server.value?.received ?? .empty)
            try await eventually("the echo") { bench.received.value == "earlyhello" }
        }

        @Test("A refusal fails both sides", arguments: LoopKind.all)
        func refusal(kind: LoopKind) async throws {
            let bench = try Bench(kind, certificates) { _ in .fail(UnknownHost()) }
            defer { bench.end() }
            try await eventually("the alert") { bench.failure.value != nil }
            #expect(bench.failure.value?.tls == .unknownServerName)
            try await eventually("the end") { bench.serverEnd.value != nil }
            guard case .failed(let error) = bench.serverEnd.value else { return #expect(Bool(false)) }
            #expect(error.tls == .unknownServerName)
        }

        private enum End: CaseIterable { case timeout, abort, release, peer }

        @Test("A connection may end before the answer", arguments: LoopKind.all, End.allCases)
        private func ended(kind: LoopKind, end: End) async throws {
            let answers = Subject<TLSContext, any Error>()
            let (hasAsked, isDisposed) = (Box(false), Box(false))
            let bench = try Bench(kind, certificates, timeout: end == .timeout ? .milliseconds(50) : nil) { _ in
                Signal<TLSContext, any Error> { emitter, subscription in
                    subscription.onDispose { isDisposed.value = true }
                    answers.subscribe(emitter, in: subscription)
                    hasAsked.value = true
                }
            }
            defer { bench.end() }
            // On a busy machine, the time limit may pass before the question.
            try await eventually("the question") { hasAsked.value || bench.serverEnd.value != nil }
            switch end {
            case .timeout: break
            case .abort: bench.server.value?.abort()
            case .release: bench.server.value = nil
            case .peer:
                bench.client.abort()
                try bench.loop.sync()
                answers.send(bench.context)
            }
            if end == .release {
                // The handshake keeps the connection open. An answer still completes it, and then it closes.
                answers.send(bench.context)
            }
            try await eventually("the end") { bench.serverEnd.value != nil }
            if case .failed(let error) = bench.serverEnd.value, end == .timeout {
                #expect(error.code == SocketError.Code.timedOut)
            }
            bench.server.value = nil
            try await eventually("the disposal") { isDisposed.value || !hasAsked.value }
            for _ in 0..<3 { answers.send(bench.context) }
            answers.complete()
            try bench.loop.sync()
            #expect(bench.received.value == "")
        }

        @Test("A close waits for the answer, and the bytes before it arrive", arguments: LoopKind.all)
        func closing(kind: LoopKind) async throws {
            let answers = Subject<TLSContext, any Error>()
            let hasAsked = Box(false)
            let bench = try Bench(kind, certificates) { _ in
                hasAsked.value = true
                return answers.signal
            }
            defer { bench.end() }
            try await eventually("the question") { hasAsked.value }
            let isOpen = Box(false)
            // On the loop, because a close gives up a peer that accepts nothing for two seconds.
            bench.loop.execute {
                bench.server.value?.send("last words")
                bench.server.value?.close()
                bench.loop.execute {
                    isOpen.value = bench.serverEnd.value == nil
                    answers.send(bench.context)
                }
            }
            try await eventually("the bytes") { bench.received.value == "last words" }
            #expect(isOpen.value)
        }

        @Test("A suspended handshake receives nothing", arguments: LoopKind.all)
        func bounded(kind: LoopKind) async throws {
            let loop = try kind.make(thread: .owned)
            defer { loop.dispose() }
            let hasAsked = Box(false)
            var settings = certificates.server()
            settings.contextForServerName = { _ in
                hasAsked.value = true
                return .never
            }
            let (near, far) = Descriptor.sockets()
            let tls = try TLSContext(settings)
            let served = try Connection(adopting: near, loop: loop, transformer: tls.server())
            let peer = try Connection(adopting: far, loop: loop)
            peer.send(Wire.hello(of: try TLSContext(certificates.client())))
            try await eventually("the question") { hasAsked.value }
            // The kernel's buffers are smaller, so the peer stays blocked.
            let isSent = Box(false)
            peer.send(Bytes(repeatElement(23, count: 8_000_000))).subscribe(onTermination: { _ in isSent.value = true })
            for _ in 0..<200 { try loop.sync() }
            #expect(!isSent.value)
            served.abort()
            try await eventually("the failure") { isSent.value }
        }
    }
#endif
