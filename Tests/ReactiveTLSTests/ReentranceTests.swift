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

    /// Closures of the configuration that end the connection or the loop which has called them.
    @Suite struct ReentranceTests {
        private let certificates = Certificates.shared

        private enum Action: CaseIterable {
            case abort, close, finishSending, startTLS, disposeLoop, abortPeer, reload
        }

        private enum Caller: CaseIterable {
            case serverName, serverKeyLog, clientKeyLog

            /// `keyLog` is called inside of the transformer, so it must not use the connection.
            var actions: [Action] {
                self == .serverName ? Action.allCases : [.abort, .disposeLoop, .abortPeer, .reload]
            }
        }

        /// Both connections of a handshake, for closures that act on them.
        private final class Scene: Sendable {
            let connections = Box<[Connection]>([])
            let contexts = Box<[TLSContext]>([])
            let loop: any LoopScheduler
            let calls = Box(0)
            let ends = Box(0)

            init(_ loop: any LoopScheduler) { self.loop = loop }

            func play(_ action: Action, _ own: Int) {
                calls.update { $0 += 1 }
                let connections = connections.value
                guard connections.count == 2 else { return }
                switch action {
                case .abort: connections[own].abort()
                case .close: connections[own].close()
                case .finishSending: connections[own].finishSending()
                case .startTLS: connections[own].startTLS(contexts.value[own], as: .server)
                case .disposeLoop: loop.dispose()
                case .abortPeer: connections[1 - own].abort()
                case .reload:
                    do throws(TLSError) { for context in contexts.value { try context.reload() } } catch {
                        Issue.record(error)
                    }
                }
            }
        }

        @Test(
            "A closure may end its connection, its peer or its loop",
            arguments: LoopKind.all,
            [TLSVersion.tls12, .tls13]
        )
        func closures(kind: LoopKind, version: TLSVersion) throws {
            for caller in Caller.allCases {
                for action in caller.actions { try play(caller, action, kind, version) }
            }
        }

        private func play(_ caller: Caller, _ action: Action, _ kind: LoopKind, _ version: TLSVersion) throws {
            let loop = try kind.make()
            defer { loop.dispose() }
            let scene = Scene(loop)
            let chosen = try TLSContext(certificates.server())
            var server = certificates.server()
            var client = certificates.client()
            client.maximumVersion = version
            switch caller {
            case .serverName:
                server.contextForServerName = { _ in
                    scene.play(action, 0)
                    return Signal(values: [chosen, chosen])
                }
            case .serverKeyLog: server.keyLog = { _ in scene.play(action, 0) }
            case .clientKeyLog: client.keyLog = { _ in scene.play(action, 1) }
            }
            let contexts = [try TLSContext(server), try TLSContext(client)]
            scene.contexts.value = contexts
            let (near, far) = Descriptor.sockets()
            scene.connections.value = [
                try Connection(adopting: near, loop: loop, transformer: contexts[0].server()),
                try Connection(adopting: far, loop: loop, transformer: contexts[1].client(host: "localhost")()),
            ]
            for connection in scene.connections.value {
                connection.ended.subscribe(onTermination: { _ in scene.ends.update { $0 += 1 } })
                connection.received.subscribe(onValue: { _ in }, onTermination: { _ in })
                connection.send("x")
            }
            // A disposed loop runs no turns.
            for _ in 0..<40 { try? loop.runOnce(waiting: false) }
            #expect(scene.calls.value > 0, "\(caller) \(action)")
            for connection in scene.connections.value { connection.abort() }
            for _ in 0..<5 { try? loop.runOnce(waiting: false) }
            if action != .disposeLoop { #expect(scene.ends.value == 2, "\(caller) \(action)") }
            // The closures of the contexts retain the scene.
            scene.connections.value = []
            scene.contexts.value = []
        }

        @Test("An answer may come after the loop has been disposed, from any thread", arguments: LoopKind.all)
        func lateAnswer(kind: LoopKind) throws {
            let chosen = try TLSContext(certificates.server())
            let answers = Subject<TLSContext, any Error>()
            let hasAsked = Box(false)
            var settings = certificates.server()
            settings.contextForServerName = { _ in
                hasAsked.value = true
                return answers.signal
            }
            let loop = try kind.make()
            let (near, far) = Descriptor.sockets()
            defer { Descriptor.close(far) }
            let served = try Connection(adopting: near, loop: loop, transformer: TLSContext(settings).server())
            let hello = Wire.hello(of: try certificates.client(.tls13))
            #expect(hello.withUnsafeBytes { write(far, $0.baseAddress, $0.count) } == hello.count)
            try loop.turns { hasAsked.value }
            loop.dispose()
            let threads = (0..<3).map { _ in
                TestThread {
                    answers.send(chosen)
                    answers.complete()
                }
            }
            for thread in threads { try thread.join() }
            served.abort()
        }

        @Test("A peer that sends byte after byte does not extend the time limit", arguments: LoopKind.all)
        func drip(kind: LoopKind) throws {
            let clock = ManualClock()
            let loop = try kind.make(clock: clock)
            defer { loop.dispose() }
            var settings = certificates.server()
            settings.handshakeTimeout = .seconds(10)
            let (near, far) = Descriptor.sockets()
            defer { Descriptor.close(far) }
            let served = try Connection(adopting: near, loop: loop, transformer: TLSContext(settings).server())
            let end = Box<Termination<SocketError>?>(nil)
            served.ended.subscribe(onTermination: { end.value = $0 })
            let hello = Wire.hello(of: try certificates.client(.tls13))
            for number in 0..<99 {
                _ = hello[(hello.startIndex + number)...].withUnsafeBytes { write(far, $0.baseAddress, 1) }
                try loop.turns(2)
                clock.advance(by: .milliseconds(100))
            }
            try loop.turns(2)
            #expect(end.value == nil)
            clock.advance(by: .milliseconds(101))
            try loop.turns(3)
            guard case .failed(let error) = end.value else { return #expect(Bool(false), "still open") }
            #expect(error.code == .timedOut)
        }
    }
#endif
