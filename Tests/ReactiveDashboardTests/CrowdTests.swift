// SPDX-License-Identifier: MIT
#if HTTP
    import LoopTestSupport
    import ReactiveCore
    import ReactiveDashboard
    import ReactiveHTTP
    import ReactiveSignals
    import ReactiveSockets
    import SchedulerConformance
    import Testing

    extension DashboardTests {
        /// Many peers and threads at the same time.
        @Suite(.serialized) struct Crowds {
            private let turn = LiveGraphTurn()

            @Test(
                "Of 100 pages that read nothing, eight are open, and they leave nothing behind",
                arguments: LoopKind.all
            )
            func silentPages(_ kind: LoopKind) throws {
                let fixture = try DashboardFixture(kind)
                let request =
                    "GET /live HTTP/1.1\r\nHost: localhost:\(fixture.port)\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                    + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
                let peers = try (0..<100).map { _ in
                    let peer = try RawPeer(to: fixture.dashboard.localAddress)
                    try peer.sendAll(Array(request.utf8)) { isDone in try waitUntil("room for a request", isDone) }
                    return peer
                }
                var most = 0
                try waitUntil("eight pages") {
                    most = max(most, fixture.dashboard.pageCount)
                    return most >= 8
                }
                // Each close lets another connection in.
                for (index, peer) in peers.enumerated() {
                    if index.isMultiple(of: 2) { peer.reset() } else { peer.close() }
                    most = max(most, fixture.dashboard.pageCount)
                }
                try waitUntil("the end of the pages") { fixture.dashboard.pageCount == 0 && !LiveGraph.isObserved }
                #expect(most == 8)
                #expect(try fixture.isMeasured() == false)
                #expect(try fixture.request("/json").status == 200)
                try fixture.stop()
            }

            @Test("Pages come and go while other threads use signals and connections", arguments: LoopKind.all)
            func traffic(_ kind: LoopKind) throws {
                let fixture = try DashboardFixture(kind)
                let isOver = Box(false)
                let subscriber = TestThread {
                    while !isOver.value {
                        let source = Subject<Int, Never>()
                        let subscription = source.signal.named("ticks").map { $0 + 1 }.named("sums").subscribe { _ in }
                        let pause = subscription.pause()
                        for number in 0..<10 { source.send(number) }
                        pause.dispose()
                        subscription.dispose()
                    }
                }
                let client = TestThread {
                    while !isOver.value {
                        let peer = try RawPeer(to: fixture.echo.localAddress)
                        _ = peer.send(Array("hello".utf8))
                        try waitUntil("an echo") { if case .bytes = peer.receive() { true } else { false } }
                        peer.reset()
                    }
                }
                for _ in 0..<5 {
                    let page = try fixture.openPage()
                    try waitUntil("a snapshot") { page.texts.count >= 1 }
                    #expect(try parse(try #require(page.texts.values.last))["problems"] is [Any])
                    try checkPrometheus(try fixture.request("/metrics").body)
                    page.socket.value?.close()
                    try page.ended.wait("the end of the page")
                }
                isOver.value = true
                try subscriber.join()
                try client.join()
                try waitUntil("the end of measurements") { !LiveGraph.isObserved }
                #expect(try fixture.isMeasured() == false)
                try fixture.stop()
            }
        }
    }
#endif
