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

    /// A dashboard on one loop, which observes another. Both own their threads.
    final class DashboardFixture: Sendable {
        let observed: any LoopScheduler
        let home: any LoopScheduler
        let echo: Server
        let dashboard: Dashboard

        convenience init(_ kind: LoopKind, hostNames: [String] = []) throws {
            try self.init(
                observed: try kind.make(name: "observed \"<b>\\", thread: .owned),
                home: try kind.make(name: "home", thread: .owned),
                hostNames: hostNames
            )
        }

        init(observed: any LoopScheduler, home: any LoopScheduler, hostNames: [String] = []) throws {
            (self.observed, self.home) = (observed, home)
            echo = try Server(on: ownLoopback(), loops: LoopGroup(observed)) { connection in
                connection.send(from: connection.received)
            }
            dashboard = try Dashboard.serve(
                on: .loopback(port: 0),
                observing: LoopGroup(observed),
                servers: [ObservedServer("echo\n\"", echo)],
                runningOn: home,
                hostNames: hostNames
            )
        }

        /// Stops the servers, checks that they have left nothing on the loops, and disposes the loops.
        func stop(file: StaticString = #fileID, line: UInt = #line) throws {
            defer { for loop in [home, observed] { loop.dispose() } }
            dashboard.stop()
            echo.stop()
            // A snapshot that has begun finishes when the observed loop answers, or at its own time limit.
            for loop in [home, observed] {
                try loop.expectNothingLeft(shortTimers: .seconds(10), file: file, line: line)
            }
        }

        var port: UInt16 { dashboard.localAddress.port }

        /// Sends a request with these lines, and returns the response.
        func request(
            _ path: String,
            host: String? = nil,
            method: String = "GET",
            _ fields: String...
        ) throws -> (status: Int, head: String, body: String) {
            let lines =
                ["\(method) \(path) HTTP/1.1", "Host: \(host ?? "localhost:\(port)")", "Connection: close"] + fields
            let client = try RawPeer(to: dashboard.localAddress)
            try client.sendAll(Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)) { isDone in
                try waitUntil("room for a request", isDone)
            }
            let (all, _) = try client.receiveToEnd { isDone in try waitUntil("a response", isDone) }
            let text = String(decoding: all, as: UTF8.self)
            let parts = text.split(separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false)
            let status = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
            return (status, String(parts[0]), parts.count > 1 ? String(parts[1]) : "")
        }

        func json() throws -> [String: Any] { try parse(try request("/json").body) }

        /// The JSON of a snapshot that the observed loop has answered. A busy machine may need longer than a snapshot waits.
        func answeredJSON() throws -> [String: Any] {
            var result: [String: Any] = [:]
            try waitUntil("an answer of the loop") {
                result = try self.json()
                return (result["loops"] as? [[String: Any]])?.first?["responding"] as? Bool == true
            }
            return result
        }

        /// The metrics of such a snapshot.
        func answeredMetrics() throws -> String {
            var text = ""
            try waitUntil("an answer of the loop") {
                text = try request("/metrics").body
                return text.contains("reactive_loop_up{loop=\"observed \\\"<b>\\\\\"} 1\n")
            }
            return text
        }

        /// Whether the turns of the observed loop are measured.
        func isMeasured() throws -> Bool {
            let result = Box(true)
            try observed.sync {
                result.value = (try? (self.observed as? any MeasuredLoop)?.measurements())?.lengths != nil
            }
            return result.value
        }

        /// Opens a page: a WebSocket whose messages are recorded.
        func openPage(on loop: (any LoopScheduler)? = nil) throws -> Page {
            let page = Page()
            WebSocket.connect(to: dashboard.localAddress, "/live", loop: loop ?? home).subscribe(
                onValue: { socket in
                    page.socket.value = socket
                    socket.messages.subscribe(
                        onValue: { if case .text(let text) = $0 { page.texts.append(text) } },
                        onTermination: { _ in page.ended.arrive() }
                    )
                },
                onTermination: { termination in
                    if case .failed(let error) = termination {
                        page.failure.value = "\(error)"
                        page.ended.arrive()
                    }
                }
            )
            return page
        }
    }

    final class Page: Sendable {
        let texts = Recorder<String>()
        let socket = Box<WebSocket?>(nil)
        let failure = Box<String?>(nil)
        let ended = Latch()
    }

    /// Parses JSON with Foundation, which shares no code with the writer.
    func parse(_ text: String) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any], "\(text)")
    }
#endif
