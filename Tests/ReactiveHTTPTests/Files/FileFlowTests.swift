// SPDX-License-Identifier: MIT
#if HTTP
    import Glibc
    import HTTPTypes
    import LoopTestSupport
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets
    import ReactiveSupport
    import SchedulerConformance
    import SchedulerEngine
    import Testing

    @testable import ReactiveHTTP

    /// Files and clients that do not behave, on each loop.
    @Suite struct FileFlowTests {
        private static let get = "GET /a HTTP/1.1\r\nHost: a\r\n\r\n"
        /// More than the buffers of the kernel hold.
        private static let size = 40_000_000

        /// A server of a sparse file, which needs no disk space.
        private func serve(_ kind: LoopKind, clock: any LoopClock = MonotonicClock()) throws -> (
            HTTPFixture, TemporaryFolder
        ) {
            let folder = try TemporaryFolder()
            try folder.file("root/a", "begin")
            try #require(truncate("\(folder.root)/a", Self.size) == 0)
            try folder.file("root/small", "small")
            return (try HTTPFixture(kind, clock: clock, service: try StaticFiles(at: folder.root).service), folder)
        }

        @Test("A client that stops reading keeps one descriptor and no bytes", arguments: LoopKind.all)
        func slowReader(_ kind: LoopKind) throws {
            let (fixture, folder) = try serve(kind)
            defer { folder.remove() }
            let client = try fixture.connect()
            // The requests behind the first one wait for the client.
            try fixture.send(String(repeating: Self.get, count: 100), from: client)
            try fixture.loop.turns { folder.openCount == 1 }
            try fixture.loop.turns(300)
            #expect(folder.openCount == 1)
            var received = 0
            try fixture.loop.turns {
                if case .bytes(let bytes) = client.receive(300_000) { received += bytes.count }
                return received > Self.size * 3
            }
            #expect(folder.openCount <= 2)
            client.reset()
            try fixture.loop.turns { fixture.server.connectionCount.value == 0 }
            #expect(folder.openCount == 0)
        }

        @Test("A file that becomes shorter while it is sent resets the connection", arguments: LoopKind.all)
        func truncated(_ kind: LoopKind) throws {
            let (fixture, folder) = try serve(kind)
            defer { folder.remove() }
            let client = try fixture.connect()
            try fixture.send(Self.get, from: client)
            try fixture.loop.turns { folder.openCount == 1 }
            try fixture.loop.turns(300)
            #expect(folder.openCount == 1)
            #expect(truncate("\(folder.root)/a", 100) == 0)
            var (received, code): (Int, Int32?) = (0, nil)
            try fixture.loop.turns {
                switch client.receive(300_000) {
                case .bytes(let bytes): received += bytes.count
                case .failed(let error): code = error
                case .end: code = 0
                case .nothing: break
                }
                return code != nil
            }
            #expect(code == ECONNRESET && received < Self.size)
            #expect(fixture.failures.values.map(\.error.code) == [.lengthMismatch] && folder.openCount == 0)
        }

        @Test("A file that cannot be read is a failure of its source", arguments: LoopKind.all)
        func unreadable(_ kind: LoopKind) throws {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            try folder.file("root/a", [UInt8](repeating: 1, count: 100_000))
            let path = "\(folder.root)/a"
            let fixture = try HTTPFixture(kind) { _ in
                let file = OpenFile(adopting: open(path, O_WRONLY | O_CLOEXEC))
                let content = FileContent(file, [.file(0..<100_000)])
                return HTTPMessage(HTTPResponse(status: .ok), body: HTTPBody(.file(content)))
            }
            let client = try fixture.connect()
            try fixture.send(Self.get, from: client)
            _ = try fixture.receiveToEnd(at: client)
            #expect(fixture.failures.values.map(\.error.code) == [.sourceFailed] && folder.openCount == 0)
        }

        @Test("A file that grows while it is sent has its former length", arguments: LoopKind.all)
        func grown(_ kind: LoopKind) throws {
            let (fixture, folder) = try serve(kind)
            defer { folder.remove() }
            let client = try fixture.connect()
            try fixture.send(Self.get, from: client)
            try fixture.loop.turns { folder.openCount == 1 }
            try fixture.loop.turns(100)
            #expect(truncate("\(folder.root)/a", Self.size * 2) == 0)
            try fixture.send("GET /small HTTP/1.1\r\nHost: a\r\n\r\n", from: client)
            let responses = try fixture.responses(2, at: client)
            #expect(responses[0].body.count == Self.size && responses[1].text == "small")
        }

        @Test("A close sends the rest of the file, and a drain waits for it", arguments: LoopKind.all)
        func drain(_ kind: LoopKind) throws {
            let (fixture, folder) = try serve(kind)
            defer { folder.remove() }
            let client = try fixture.connect()
            try fixture.send(Self.get, from: client)
            try fixture.loop.turns { folder.openCount == 1 }
            try fixture.loop.turns(100)
            fixture.server.drain(within: .seconds(3600))
            var received = 0
            var hasEnded = false
            try fixture.loop.turns {
                switch client.receive(300_000) {
                case .bytes(let bytes): received += bytes.count
                case .end: hasEnded = true
                default: break
                }
                return hasEnded
            }
            client.close()
            #expect(received > Self.size)
            try fixture.loop.turns { fixture.server.state.value == .stopped }
            #expect(folder.openCount == 0 && fixture.server.totals.failed == 0)
        }

        @Test("A stop and a disposed loop close the file", arguments: LoopKind.all, [true, false])
        func abort(_ kind: LoopKind, _ stops: Bool) throws {
            let (fixture, folder) = try serve(kind)
            defer { folder.remove() }
            let client = try fixture.connect()
            try fixture.send(Self.get, from: client)
            try fixture.loop.turns { folder.openCount == 1 }
            try fixture.loop.turns(100)
            #expect(folder.openCount == 1)
            if stops {
                fixture.server.stop()
                try fixture.loop.turns { fixture.server.state.value == .stopped }
            } else {
                fixture.loop.dispose()
            }
            #expect(folder.openCount == 0)
        }

        @Test("Clients that leave in the middle of a file leave no descriptor, 100 times", arguments: LoopKind.all)
        func leaving(_ kind: LoopKind) throws {
            let (fixture, folder) = try serve(kind)
            defer { folder.remove() }
            var random = SplitMix64(seed: 7)
            for round in 0..<100 {
                let client = try fixture.connect(receiveBuffer: 4096)
                try fixture.send(String(repeating: Self.get, count: 1 + round % 3), from: client)
                try fixture.loop.turns(Int.random(in: 0..<20, using: &random))
                _ = client.receive(Int.random(in: 1..<100_000, using: &random))
                if round % 2 == 0 { client.reset() } else { client.close() }
            }
            try fixture.loop.turns { fixture.server.connectionCount.value == 0 }
            #expect(folder.openCount == 0 && fixture.failures.values.isEmpty)
        }

        @Test("A file leaves turns to other connections", arguments: LoopKind.all)
        func fairness(_ kind: LoopKind) throws {
            let (fixture, folder) = try serve(kind)
            defer { folder.remove() }
            let (greedy, other) = (try fixture.connect(), try fixture.connect())
            try fixture.send(Self.get, from: greedy)
            var received = 0
            var turns = 0
            // What the client receives in the turns of the other request, which are not counted.
            var extra = 0
            // The client always reads, so only the limit of bytes ends a turn.
            while received < Self.size, turns < 100_000 {
                try fixture.loop.turns(1)
                turns += 1
                while case .bytes(let bytes) = greedy.receive(300_000) { received += bytes.count }
                if turns == 10 {
                    let response = try fixture.exchange("GET /small HTTP/1.1\r\nHost: a\r\n\r\n", on: other)
                    #expect(response.text == "small" && received < Self.size)
                    while case .bytes(let bytes) = greedy.receive(300_000) { extra += bytes.count }
                    received += extra
                }
            }
            #expect(received > Self.size && turns >= (Self.size - extra) / (256 * 1024), "\(turns)")
            #expect(folder.openCount == 0)
        }

        @Test("A source waits only after it has sent the bytes of a turn", arguments: LoopKind.all)
        func bytesOfTurn(_ kind: LoopKind) throws {
            let loop = try kind.make()
            defer { loop.dispose() }
            let source = BodySource(signal: .never, length: nil, trailers: nil, bytesPerTurn: 100)
            let body = OutgoingBody(nil, source, SignalSubscription())
            for _ in 0..<2 {
                body.count(60, on: loop)
                #expect(!body.subscription.isPaused)
                body.count(60, on: loop)
                #expect(body.subscription.isPaused)
                try loop.turns { !body.subscription.isPaused }
            }
        }

        @Test("Pipelined requests and ranges share the bytes of a turn", arguments: LoopKind.all, [true, false])
        func sharedTurn(_ kind: LoopKind, _ hasRanges: Bool) throws {
            let (fixture, folder) = try serve(kind)
            defer { folder.remove() }
            let client = try fixture.connect()
            let ranges = (0..<15).map { "\($0 * 300_000)-\($0 * 300_000 + 200_000)" }.joined(separator: ",")
            let fields = hasRanges ? "Range: bytes=\(ranges)\r\n" : "Range: bytes=0-200000\r\n"
            let count = hasRanges ? 10 : 150
            let requests = String(repeating: "GET /a HTTP/1.1\r\nHost: a\r\n\(fields)\r\n", count: count)
            try fixture.send(requests, from: client)
            var (received, turns) = (0, 0)
            // The client always reads, so only the limit of bytes ends a turn.
            while received < 150 * 200_000 {
                try fixture.loop.turns(1)
                while case .bytes(let bytes) = client.receive(300_000) { received += bytes.count }
                turns += 1
                try #require(turns < 1_000_000)
                // One call of `turns` may run two. The rest is that of the heads.
                try #require(received <= (turns + 1) * (256 * 1024 + 8192), "\(received) bytes in \(turns) turns")
            }
            try fixture.loop.turns { folder.openCount == 0 }
        }
    }
#endif
