// SPDX-License-Identifier: MIT
#if HTTP
    import HTTPTypes
    import LoopTestSupport
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets
    import ReactiveSupport
    import SchedulerConformance
    import Testing

    @testable import ReactiveHTTP

    /// The subscribers of messages and fragments, with raw clients, on each loop.
    @Suite struct WebSocketReceivingTests {
        @Test("Fragments arrive before their message is complete", arguments: LoopKind.all)
        func fragments(_ kind: LoopKind) throws {
            let received = Recorder<WebSocketFragment>()
            let configuration = WebSocketConfiguration { $0.messageBytes = nil }
            let fixture = try HTTPFixture(webSocket: kind, configuration) { socket in
                socket.fragments.map { received.append($0) }
            }
            let peer = try WebSocketPeer(fixture)
            try peer.send(.text, "ab", isFinal: false)
            try fixture.loop.turns { received.count == 1 }
            try peer.send(.continuation, "c")
            try fixture.loop.turns { received.count == 2 }
            #expect(
                received.values == [
                    WebSocketFragment(.text, "ab", isFirst: true, isLast: false),
                    WebSocketFragment(.text, "c", isFirst: false, isLast: true),
                ]
            )
        }

        @Test("One subscriber is allowed, and the next one begins with a whole message", arguments: LoopKind.all)
        func subscribers(_ kind: LoopKind) throws {
            let (first, second) = (Recorder<WebSocketFragment>(), Recorder<WebSocketMessage>())
            let errors = Recorder<WebSocketError>()
            let sockets = Recorder<WebSocket>()
            let subscription = SignalSubscription()
            let fixture = try HTTPFixture(webSocket: kind) { socket in
                sockets.append(socket)
                socket.fragments.subscribe(in: subscription, onValue: { first.append($0) }, onTermination: { _ in })
                socket.messages.subscribe(
                    onValue: { _ in },
                    onTermination: { if case .failed(let error) = $0 { errors.append(error) } }
                )
                return Signal<Never, Never>.never
            }
            let peer = try WebSocketPeer(fixture)
            #expect(errors.values.map(\.code) == [.alreadyReceiving])
            try peer.send(.text, "a", isFinal: false)
            try fixture.loop.turns { first.count == 1 }
            subscription.dispose()
            try fixture.loop.turns(2)
            sockets.values[0].messages.subscribe(onValue: { second.append($0) }, onTermination: { _ in })
            try peer.send(.continuation, "b")
            try peer.send(.text, "c")
            try fixture.loop.turns { second.count == 1 }
            #expect(second.values == ["c"])
        }

        @Test("A WebSocket that has ended keeps no message that nothing has received", arguments: LoopKind.all)
        func unreceived(_ kind: LoopKind) throws {
            let (sockets, errors) = (Recorder<WebSocket>(), Recorder<WebSocketError>())
            let fixture = try HTTPFixture(webSocket: kind) { socket in
                sockets.append(socket)
                socket.ended.subscribe(
                    onValue: { _ in },
                    onTermination: { if case .failed(let error) = $0 { errors.append(error) } }
                )
                return Signal<Never, Never>.never
            }
            let peer = try WebSocketPeer(fixture)
            try peer.send(.text, "a")
            let socket = sockets.values[0]
            try fixture.loop.turns { socket.core.value.waiting != nil }
            socket.connection.close()
            try fixture.loop.turns { errors.count == 1 }
            #expect(errors.values.map(\.code) == [.connection] && socket.core.value.waiting == nil)
        }
    }
#endif
