// SPDX-License-Identifier: MIT
#if HTTP
    import LoopTestSupport
    import ReactiveCore
    import ReactiveHTTP
    import ReactiveSignals
    import SchedulerConformance
    import Testing

    @testable import ReactiveDashboard

    extension DashboardTests {
        /// Snapshots as data, without a server.
        @Suite(.serialized) struct Snapshots {
            private let turn = LiveGraphTurn()

            @Test("A snapshot names the subscriber that blocks a chain of ten operators")
            func blockedChain() throws {
                LiveGraph.start()
                defer { LiveGraph.stop() }
                let source = Subject<Int, Never>()
                let subscription = SignalSubscription()
                let chain = source.signal.named("feed")
                    .map { $0 + 1 }.filter { $0 > 0 }.scan(0, +).map { $0 * 2 }.combineLatest(with: .just(1)).map {
                        $0.0
                    }
                    .filter { $0 > 0 }.map { "\($0)" }.filter { !$0.isEmpty }.map { $0 + "!" }
                    .named("slow reader")
                let line = #line + 1
                chain.subscribe(in: subscription, onValue: { _ in })
                let pause = subscription.pause()
                let view = DashboardSnapshot.GraphView(LiveGraph.snapshot())
                let reader = try #require(view.nodes.first { $0.name.hasSuffix("slow reader") })
                let input = try #require(view.nodes.first { $0.name.contains("feed") })
                #expect(input.number != reader.number && input.isPaused)
                let cause = try #require(input.causes.first)
                #expect(input.causes.count == 1 && cause.number == reader.number && cause.name == reader.name)
                #expect(cause.location?.hasSuffix("SnapshotTests.swift:\(line)") == true, "\(cause)")
                #expect(cause.reason == "the subscriber has paused" && input.pausedFor.map { $0 >= 0 } == true)
                pause.dispose()
                // Other tests of this process may have paused subscriptions.
                let later = LiveGraph.snapshot().nodes.filter { [input.number, reader.number].contains($0.number) }
                #expect(view.paused >= 1 && later.count == 2 && !later.contains { $0.isPaused })
                subscription.dispose()
            }

            @Test("A pause of more than a minute is a problem, with its cause")
            func longPause() {
                var snapshot = DashboardSnapshot()
                var node = DashboardSnapshot.NodeView()
                (node.number, node.name, node.pausedFor) = (7, "feed", 61)
                node.causes = [.init(number: 3, name: "reader", location: "a.swift:1", reason: "why")]
                snapshot.graph.nodes = [node]
                var finder = ProblemFinder()
                finder.apply(to: &snapshot, at: .now)
                #expect(
                    snapshot.problems.map(\.text) == [
                        "#7 feed has been paused for 61 s by #3 reader at a.swift:1 (why)"
                    ]
                )
                snapshot.graph.nodes[0].pausedFor = 59
                finder.apply(to: &snapshot, at: .now)
                #expect(snapshot.problems.isEmpty)
            }

            @Test("A count that only grows is a problem, one that falls once is none")
            func growth() {
                var (finder, now) = (ProblemFinder(), ContinuousClock.now)
                var snapshot = DashboardSnapshot()
                for second in 0..<120 {
                    snapshot.graph.names = ["leak": second / 2, "steady": 5, "wave": second % 50]
                    finder.apply(to: &snapshot, at: now)
                    now = now + .seconds(1)
                }
                #expect(snapshot.problems.map(\.kind) == [.growth])
                #expect(snapshot.problems.first?.text.contains("leak has only grown for 119 s, from 0 to 59") == true)
            }

            @Test("The size of a snapshot is bounded, and paused subscriptions are kept")
            func bounded() throws {
                LiveGraph.start()
                defer { LiveGraph.stop() }
                let source = Subject<Int, Never>()
                let name = String(repeating: "é<&\"\u{1}", count: 1000)
                let all = (0..<2000).map { _ in source.signal.named(name).subscribe { _ in } }
                let pause = all[1999].pause()
                var snapshot = DashboardSnapshot()
                snapshot.graph = DashboardSnapshot.GraphView(LiveGraph.snapshot())
                #expect(snapshot.graph.nodes.count == 500 && snapshot.graph.count >= 2000)
                #expect(snapshot.graph.nodes.contains { $0.isPaused })
                let json = snapshot.json
                #expect(json.utf8.count < 1_000_000)
                let graph = try #require(try parse(json)["graph"] as? [String: Any])
                #expect((graph["nodes"] as? [Any])?.count == 500)
                pause.dispose()
                for subscription in all { subscription.dispose() }
            }

            @Test("Rates are values per second of the time between two snapshots")
            func rates() {
                var (rates, now) = (Rates(), ContinuousClock.now)
                var graph = DashboardSnapshot.GraphView()
                var node = DashboardSnapshot.NodeView()
                (node.number, node.values) = (1, 10)
                node.stages = [DashboardSnapshot.StageView(name: "a", location: "", values: 4)]
                graph.nodes = [node]
                rates.apply(to: &graph, at: now)
                #expect(graph.nodes[0].rate == nil)
                graph.nodes[0].values = 30
                graph.nodes[0].stages[0].values = 5
                now = now + .seconds(2)
                rates.apply(to: &graph, at: now)
                #expect(graph.nodes[0].rate == 10 && graph.nodes[0].stages[0].rate == 0.5)
            }

            @Test("Names cannot add labels or samples to Prometheus text")
            func hostileNames() throws {
                let names = [
                    "a", "a", "a#2", "a\r\nreactive_loop_up{loop=\"evil\"} 1", "b\r", "\"\u{301},evil=\"x",
                    "\\\u{301}", "\n\u{301}", "\u{0}\u{7f}",
                ]
                var snapshot = DashboardSnapshot()
                for name in names {
                    var (loop, server) = (DashboardSnapshot.LoopView(), DashboardSnapshot.ServerView())
                    (loop.name, server.name) = (name, name)
                    snapshot.loops.append(loop)
                    snapshot.servers.append(server)
                    snapshot.graph.names[name] = 1
                }
                #expect(PrometheusText.unique(["a", "a", "a#2"]) == ["a", "a#2", "a#2#2"])
                let text = snapshot.prometheus
                try checkPrometheus(text)
                let lines = text.utf8.split(separator: UInt8(ascii: "\n")).filter {
                    $0.starts(with: "reactive_loop_up{".utf8)
                }
                #expect(lines.count == names.count)
                #expect(lines.allSatisfy { $0.split(separator: UInt8(ascii: "\"")).count >= 2 })
                #expect("\"\u{301}\\\u{301}\r\n".escaped(controls: false) == "\\\"\u{301}\\\\\u{301}\r\\n")
                let json = try parse(snapshot.json)
                #expect((json["loops"] as? [[String: Any]])?.map { $0["name"] as? String } == names)
            }

            @Test("A snapshot whose request has ended does not wait for the loops", arguments: LoopKind.all)
            func leaving(_ kind: LoopKind) throws {
                let (home, observed) = (try kind.make(clock: ManualClock()), try kind.make())
                let collector = Collector([observed], [], on: home)
                let check = RequestGuard([])
                let service = DashboardService(collector: collector, pages: Pages(collector, on: home), check: check)
                var request = HTTPRequestMessage.get("http://localhost/json")
                request.peer = HTTPPeer(address: nil, localAddress: abstractName())
                let answer = service.respond(to: request).log()
                #expect(!answer.hasEnded)
                answer.subscription.dispose()
                try home.expectNothingLeft()
                // The loop answers too late.
                try observed.expectNothingLeft()
                try home.expectNothingLeft()
                #expect(answer.values.isEmpty)
                for loop in [home, observed] { loop.dispose() }
            }

            @Test("A ninth page ends at once", arguments: LoopKind.all)
            func ninthPage(_ kind: LoopKind) throws {
                let loop = try kind.make()
                let pages = Pages(Collector([loop], [], on: loop), on: loop)
                let all = (0..<9).map { _ in pages.messages.log() }
                #expect(pages.count == 8 && all.map(\.hasEnded) == (0..<9).map { $0 == 8 })
                pages.closeAll()
                #expect(pages.count == 0 && all.allSatisfy { $0.hasEnded } && !LiveGraph.isObserved)
                try loop.expectNothingLeft()
                loop.dispose()
            }

            @Test("Authorities are split at the port")
            func authorities() {
                #expect(RequestGuard.split("localhost:80").map { "\($0)" } == "(host: \"localhost\", port: 80)")
                #expect(RequestGuard.split("[::1]").map(\.port) == 80 && RequestGuard.split("[::1]:9").map(\.port) == 9)
                #expect(RequestGuard.split("a:") == nil && RequestGuard.split("a:+1") == nil)
                #expect(RequestGuard.split("") == nil && RequestGuard.split("a:99999") == nil)
            }
        }
    }
#endif
