// SPDX-License-Identifier: MIT
#if HTTP
    import Foundation
    import LoopTestSupport
    import ReactiveCore
    import ReactiveDashboard
    import ReactiveHTTP
    import ReactiveSignals
    import ReactiveSockets
    import SchedulerConformance
    import SchedulerEngine
    import Testing

    /// The live graph covers the process, so one test runs at a time.
    @Suite(.serialized) struct DashboardTests {
        private let turn = LiveGraphTurn()

        @Test("Only requests for this machine, and of no other page, are answered", arguments: LoopKind.all)
        func requests(_ kind: LoopKind) throws {
            let fixture = try DashboardFixture(kind, hostNames: ["Box.Example"])
            let port = fixture.port
            for host in [
                "localhost:\(port)", "LOCALHOST:\(port)", "127.0.0.1:\(port)", "[::1]:\(port)", "box.example:\(port)",
            ] {
                #expect(try fixture.request("/", host: host).status == 200, "\(host)")
            }
            for host in [
                "evil.example:\(port)", "localhost", "localhost:1", "localhost.evil.example:\(port)", "127.0.0.1",
                "box.example", "[::2]:\(port)", "localhost:\(port)0",
            ] {
                #expect(try fixture.request("/json", host: host).status >= 400, "\(host)")
            }
            let same = "http://localhost:\(port)"
            #expect(try fixture.request("/json", "Origin: \(same)", "Sec-Fetch-Site: same-origin").status == 200)
            #expect(try fixture.request("/json", "Sec-Fetch-Site: none").status == 200)
            for site in ["cross-site", "same-site"] {
                #expect(try fixture.request("/json", "Sec-Fetch-Site: \(site)").status == 403)
            }
            for origin in ["http://evil.example", "null", "http://localhost", "http://localhost:\(port).evil.example"] {
                #expect(try fixture.request("/json", "Origin: \(origin)").status == 403, "\(origin)")
                let upgrade = [
                    "Upgrade: websocket", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
                ]
                let refused = try fixture.request("/live", upgrade[0], upgrade[1], upgrade[2], "Origin: \(origin)")
                #expect(refused.status == 403, "\(origin)")
            }
            let post = try fixture.request("/json", method: "POST", "Content-Length: 0")
            #expect(post.status == 405 && post.head.contains("GET, HEAD"))
            let head = try fixture.request("/json", method: "HEAD")
            #expect(head.status == 200 && head.body.isEmpty)
            #expect(try fixture.request("/other").status == 404)
            try fixture.stop()
        }

        @Test("Responses restrict what a browser does, and allow no other origin", arguments: LoopKind.all)
        func fields(_ kind: LoopKind) throws {
            let fixture = try DashboardFixture(kind)
            let (one, other) = (try fixture.request("/"), try fixture.request("/"))
            for response in [
                one, try fixture.request("/json"), try fixture.request("/metrics"), try fixture.request("/x"),
            ] {
                let head = response.head.lowercased()
                #expect(head.contains("content-security-policy: default-src 'none'"))
                #expect(head.contains("x-content-type-options: nosniff") && head.contains("cache-control: no-store"))
                #expect(!head.contains("access-control"))
            }
            let nonce = try #require(
                one.head.split(separator: "'nonce-").dropFirst().first?.split(separator: "'").first
            )
            #expect(one.body.contains("<script nonce=\"\(nonce)\">") && !other.body.contains(nonce))
            #expect(!one.body.contains("NONCE") && !one.body.contains("innerHTML"))
            try fixture.stop()
        }

        @Test("The JSON contains the loops, and the connections of a server", arguments: LoopKind.all)
        func data(_ kind: LoopKind) throws {
            let fixture = try DashboardFixture(kind)
            let client = try RawPeer(to: fixture.echo.localAddress)
            _ = client.send(Array("hello".utf8))
            try waitUntil("an echo") { if case .bytes = client.receive() { true } else { false } }
            let json = try fixture.answeredJSON()
            let loop = try #require((json["loops"] as? [[String: Any]])?.first)
            #expect(loop["name"] as? String == "observed \"<b>\\" && loop["responding"] as? Bool == true)
            #expect((loop["descriptors"] as? Int ?? 0) >= 2 && loop["lengths"] is NSNull)
            let server = try #require((json["servers"] as? [[String: Any]])?.first)
            #expect(server["name"] as? String == "echo\n\"" && server["count"] as? Int == 1)
            let connection = try #require((server["connections"] as? [[String: Any]])?.first)
            #expect(connection["received"] as? Int == 5 && connection["sent"] as? Int == 5)
            #expect((connection["age"] as? Double ?? -1) >= 0 && connection["full"] as? Bool == false)
            #expect((connection["peer"] as? String)?.hasPrefix("127.0.0.1:") == true)
            try fixture.stop()
        }

        @Test("Measurements are on only while a page is open, which receives snapshots", arguments: LoopKind.all)
        func page(_ kind: LoopKind) throws {
            let fixture = try DashboardFixture(kind)
            #expect(!LiveGraph.isObserved)
            let page = try fixture.openPage()
            try waitUntil("two snapshots") { page.texts.count >= 2 }
            #expect(LiveGraph.isObserved && fixture.dashboard.pageCount == 1)
            let source = Subject<Int, Never>()
            let subscription = source.signal.named("ticks").subscribe { _ in }
            let count = page.texts.count
            var json: [String: Any] = [:]
            // A snapshot contains the signals of other tests too, and may come before the first rate or answer.
            try waitUntil("a rate and an answer of the loop") {
                source.send(1)
                guard page.texts.count > count, let last = page.texts.values.last else { return false }
                json = try parse(last)
                let nodes = (json["graph"] as? [String: Any])?["nodes"] as? [[String: Any]] ?? []
                let ticks = nodes.first { ($0["name"] as? String)?.contains("ticks") == true }
                let loop = (json["loops"] as? [[String: Any]])?.first
                return ticks?["rate"] is NSNumber && loop?["lengths"] is [String: Any]
            }
            let loop = try #require((json["loops"] as? [[String: Any]])?.first)
            let lengths = try #require(loop["lengths"] as? [String: Any])
            #expect((lengths["counts"] as? [Int] ?? []).reduce(0, +) > 0 && json["pages"] as? Int == 1)
            let metrics = try fixture.answeredMetrics()
            #expect(metrics.contains("reactive_loop_turn_seconds_bucket{"))
            try checkPrometheus(metrics)
            subscription.dispose()
            page.socket.value?.close()
            try page.ended.wait("the end of the page")
            try waitUntil("the end of measurements") { !LiveGraph.isObserved && fixture.dashboard.pageCount == 0 }
            #expect(try fixture.request("/metrics").body.contains("turn_seconds") == false)
            try fixture.stop()
        }

        @Test("A ninth page is refused, and stopping closes the pages", arguments: LoopKind.all)
        func bounds(_ kind: LoopKind) throws {
            let fixture = try DashboardFixture(kind)
            var pages: [Page] = []
            for number in 1...8 {
                pages.append(try fixture.openPage())
                try waitUntil("page \(number)") { fixture.dashboard.pageCount == number }
            }
            let ninth = try fixture.openPage()
            try ninth.ended.wait("the refusal")
            #expect(ninth.failure.value?.contains("503") == true, "\(ninth.failure.value ?? "")")
            fixture.dashboard.stop()
            for page in pages { try page.ended.wait("the end of a page") }
            try waitUntil("the end of measurements") { !LiveGraph.isObserved }
            try fixture.stop()
        }

        @Test("A blocked loop is reported as a problem", arguments: LoopKind.all)
        func blocked(_ kind: LoopKind) throws {
            let fixture = try DashboardFixture(kind)
            let (begun, end) = (Latch(), Latch())
            fixture.observed.execute {
                begun.arrive()
                try? end.wait("the end of the block")
            }
            try begun.wait("the block")
            let json = try fixture.json()
            end.arrive()
            let loop = try #require((json["loops"] as? [[String: Any]])?.first)
            #expect(loop["responding"] as? Bool == false && (loop["lag"] as? Double ?? 0) > 0.1)
            let problem = try #require((json["problems"] as? [[String: Any]])?.first)
            #expect(problem["kind"] as? String == "lag")
            #expect((problem["text"] as? String)?.contains("has not responded") == true)
            try fixture.stop()
        }

        @Test("A loop that does not respond has no counters, which would seem to restart", arguments: LoopKind.all)
        func silent(_ kind: LoopKind) throws {
            let fixture = try DashboardFixture(kind)
            #expect(try fixture.answeredMetrics().contains("reactive_loop_turns_total{"))
            let (begun, end) = (Latch(), Latch())
            fixture.observed.execute {
                begun.arrive()
                try? end.wait("the end of the block")
            }
            try begun.wait("the block")
            let blocked = try fixture.request("/metrics").body
            end.arrive()
            try checkPrometheus(blocked)
            #expect(blocked.contains("reactive_loop_up{loop=\"observed \\\"<b>\\\\\"} 0\n"), "\(blocked)")
            for name in ["turns_total", "timers", "watches", "jobs"] {
                #expect(!blocked.contains("reactive_loop_\(name){"), "\(blocked)")
            }
            #expect(try fixture.answeredMetrics().contains("reactive_loop_turns_total{"))
            try fixture.stop()
        }

        @Test("Prometheus text follows the format", arguments: LoopKind.all)
        func metrics(_ kind: LoopKind) throws {
            let fixture = try DashboardFixture(kind)
            let response = try fixture.request("/metrics")
            #expect(response.head.lowercased().contains("content-type: text/plain; version=0.0.4"))
            try checkPrometheus(response.body)
            let body = try fixture.answeredMetrics()
            try checkPrometheus(body)
            #expect(body.contains("reactive_server_connections{server=\"echo\\n\\\"\"} 0\n"))
            try fixture.stop()
        }

        @Test("An address that other machines can reach is refused without the parameter")
        func exposure() throws {
            let loop = try LoopKind.dispatch.make(thread: .owned)
            for host in ["0.0.0.0", "::", "192.0.2.1"] {
                let address = try SocketAddress(host: host, port: 0)
                let code = failure { () throws(SocketError) in
                    try Dashboard.serve(on: address, observing: LoopGroup(loop))
                }
                #expect(code == .permissionDenied, "\(host)")
            }
            let any = try SocketAddress(host: "0.0.0.0", port: 0)
            try Dashboard.serve(on: any, observing: LoopGroup(loop), exposesDataToTheNetwork: true).stop()
            loop.dispose()
        }

        private func failure(_ body: () throws(SocketError) -> Dashboard) -> SocketError.Code? {
            do throws(SocketError) {
                try body().stop()
                return nil
            } catch {
                return error.code
            }
        }
    }
#endif
