// SPDX-License-Identifier: MIT
#if HTTP
    import LoopTestSupport
    import ReactiveCore
    import ReactiveDashboard
    import ReactiveHTTP
    import ReactiveSignals
    import ReactiveSockets
    import SchedulerConformance
    import SchedulerEngine
    import Testing

    extension DashboardTests {
        /// What remains of a dashboard whose pages, requests and loops end in unusual orders.
        @Suite(.serialized) struct Lifetimes {
            private let turn = LiveGraphTurn()

            @Test("Disposing the loop of the dashboard ends the measurements of its pages", arguments: LoopKind.all)
            func disposed(_ kind: LoopKind) throws {
                let fixture = try DashboardFixture(kind)
                // On a loop that stays: the client must not dispose the page.
                let other = try kind.make(name: "browser", thread: .owned)
                let page = try fixture.openPage(on: other)
                try waitUntil("a snapshot") { page.texts.count >= 1 }
                fixture.home.dispose()
                try waitUntil("the end of measurements") { !LiveGraph.isObserved }
                #expect(fixture.dashboard.pageCount == 0)
                #expect(try fixture.isMeasured() == false)
                fixture.dashboard.stop()
                fixture.dashboard.stop()
                other.dispose()
                try fixture.stop()
            }

            @Test("A page that is opened while another thread stops leaves no measurement", arguments: LoopKind.all)
            func opening(_ kind: LoopKind) throws {
                let (observed, browser) = (try kind.make(thread: .owned), try kind.make(thread: .owned))
                for _ in 0..<50 {
                    let home = try kind.make(thread: .owned)
                    let fixture = try DashboardFixture(observed: observed, home: home)
                    let page = try fixture.openPage(on: browser)
                    // No pause between the two: the page is being opened when the stop begins.
                    let limit = ContinuousClock.now + .seconds(Latch.limit)
                    while fixture.dashboard.pageCount == 0 { try #require(ContinuousClock.now < limit) }
                    fixture.dashboard.stop()
                    try page.ended.wait("the end of the page")
                    try waitUntil("the end of measurements") { !LiveGraph.isObserved }
                    try home.sync()
                    #expect(try fixture.isMeasured() == false)
                    home.dispose()
                }
                observed.dispose()
                browser.dispose()
            }

            @Test(
                "A request that waits for a blocked loop is released with the dashboard's loop",
                arguments: LoopKind.all
            )
            func released(_ kind: LoopKind) throws {
                var fixture: DashboardFixture? = try DashboardFixture(kind)
                let (begun, end) = (Latch(), Latch())
                fixture?.observed.execute {
                    begun.arrive()
                    try? end.wait("the end of the block")
                }
                try begun.wait("the block")
                weak let observed = fixture?.observed
                weak let home = fixture?.home
                let peer = try RawPeer(to: try #require(fixture).dashboard.localAddress)
                let request = "GET /json HTTP/1.1\r\nHost: localhost:\(try #require(fixture).port)\r\n\r\n"
                try peer.sendAll(Array(request.utf8)) { isDone in try waitUntil("room for a request", isDone) }
                // The loop has received the first request before the second.
                #expect(try fixture?.request("/unknown").status == 404)
                fixture?.home.dispose()
                end.arrive()
                try fixture?.stop()
                fixture = nil
                try waitUntil("the release of the loops") { observed == nil && home == nil }
                peer.close()
            }
        }
    }
#endif
