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
    import Testing

    @testable import ReactiveHTTP

    /// Files over sockets, on each loop.
    @Suite struct StaticFilesTests {
        private func get(_ path: String, _ fields: String = "", method: String = "GET") -> String {
            "\(method) \(path) HTTP/1.1\r\nHost: a\r\n\(fields)\r\n"
        }

        @Test("Files of all sizes arrive byte for byte, with GET and HEAD", arguments: LoopKind.all)
        func sizes(_ kind: LoopKind) throws {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            let kib = 1024
            let sizes = [0, 1, 16 * kib, 16 * kib + 1, 64 * kib - 1, 64 * kib, 64 * kib + 1, 5 * kib * kib]
            for size in sizes {
                try folder.file("root/\(size).bin", SplitMix64.bytes(size))
                try folder.setTime("root/\(size).bin", 784_111_777)
            }
            let files = try StaticFiles(at: folder.root)
            let fixture = try HTTPFixture(kind, service: files.service)
            let client = try fixture.connect()
            for size in sizes {
                let response = try fixture.exchange(get("/\(size).bin"), on: client)
                let isSame = response.body == SplitMix64.bytes(size)
                #expect(response.status == 200 && isSame && response.fields["content-length"] == "\(size)")
                let head = try fixture.exchange(get("/\(size).bin", method: "HEAD"), on: client)
                #expect(head.status == 200 && head.body.isEmpty && head.fields["content-length"] == "\(size)")
                for name in ["etag", "last-modified", "accept-ranges", "content-type", "x-content-type-options"] {
                    #expect(head.fields[name] == response.fields[name] && head.fields[name] != nil, "\(name)")
                }
            }
            #expect(folder.openCount == 0 && fixture.server.totals.accepted == 1 && fixture.failures.values.isEmpty)
        }

        @Test("HTTP/1.0, and pipelined requests of small and large files", arguments: LoopKind.all)
        func pipelined(_ kind: LoopKind) throws {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            try folder.file("root/small", "small")
            let large = SplitMix64.bytes(300_000)
            try folder.file("root/large", large)
            let fixture = try HTTPFixture(kind, service: try StaticFiles(at: folder.root).service)
            let client = try fixture.connect()
            let paths = (0..<40).map { $0 % 3 == 0 ? "/large" : $0 % 3 == 1 ? "/small" : "/none" }
            try fixture.send(paths.map { get($0) }.joined(), from: client)
            let responses = try fixture.responses(paths.count, at: client)
            for (path, response) in zip(paths, responses) {
                let isRight =
                    switch path {
                    case "/large": response.body == large
                    case "/small": response.text == "small"
                    default: response.status == 404
                    }
                #expect(isRight, "\(path)")
            }
            let old = try fixture.connect()
            try fixture.send("GET /large HTTP/1.0\r\n\r\n", from: old)
            let (text, end) = try old.receiveToEnd { isDone in try fixture.loop.turns(until: isDone) }
            let isSame = Array(text.suffix(large.count)) == large
            #expect(isSame && end == .end && folder.openCount == 0)
        }

        @Test("Media types, an index, a redirect, and other methods", arguments: LoopKind.all)
        func folders(_ kind: LoopKind) throws {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            try folder.folder("root/sub")
            try folder.folder("root/empty")
            try folder.file("root/sub/index.html", "<p>")
            try folder.file("root/a.CSS", "")
            try folder.file("root/.hidden", "")
            var files = try StaticFiles(at: folder.root)
            files.cacheControl = "no-cache"
            files.mediaType = { name in name == "index.html" ? "text/plain" : nil }
            let fixture = try HTTPFixture(kind, service: files.service)
            let client = try fixture.connect()
            let index = try fixture.exchange(get("/sub/?a=b"), on: client)
            #expect(index.text == "<p>" && index.fields["content-type"] == "text/plain")
            #expect(index.fields["cache-control"] == "no-cache" && index.fields["x-content-type-options"] == "nosniff")
            let redirect = try fixture.exchange(get("/sub?a=b"), on: client)
            #expect(redirect.status == 301 && redirect.fields["location"] == "/sub/?a=b")
            let css = try fixture.exchange(get("/a.CSS"), on: client)
            #expect(css.fields["content-type"] == "text/css; charset=utf-8")
            // The file is empty.
            for (range, status, length) in [("0-", 200, "0"), ("-5", 200, "0"), ("1-", 416, "0"), ("-0", 416, "0")] {
                let empty = try fixture.exchange(get("/a.CSS", "Range: bytes=\(range)\r\n"), on: client)
                #expect(empty.status == status && empty.fields["content-length"] == length, "\(range)")
                #expect(empty.fields["content-range"] == (status == 416 ? "bytes */0" : nil))
            }
            for path in ["/", "/empty/", "/a.CSS/", "/.hidden", "/none", "/a.CSS/b"] {
                let response = try fixture.exchange(get(path), on: client)
                #expect(response.status == 404, "\(path)")
            }
            let post = try fixture.exchange(get("/a.CSS", method: "DELETE"), on: client)
            #expect(post.status == 405 && post.fields["allow"] == "GET, HEAD")
        }

        @Test("Conditional requests", arguments: LoopKind.all)
        func conditional(_ kind: LoopKind) throws {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            try folder.file("root/a", "0123456789")
            try folder.setTime("root/a", 784_111_777, nanoseconds: 5)
            let fixture = try HTTPFixture(kind, service: try StaticFiles(at: folder.root).service)
            let client = try fixture.connect()
            let first = try fixture.exchange(get("/a"), on: client)
            let date = "Sun, 06 Nov 1994 08:49:37 GMT"
            #expect(first.fields["last-modified"] == date)
            let tag = try #require(first.fields["etag"])
            #expect(tag.hasPrefix("\""))
            func status(_ fields: String) throws -> Int { try fixture.exchange(get("/a", fields), on: client).status }
            let same = try fixture.exchange(get("/a", "If-None-Match: \(tag)\r\n"), on: client)
            #expect(same.status == 304 && same.fields["etag"] == tag && same.fields["content-length"] == nil)
            #expect(try status("If-Modified-Since: \(date)\r\n") == 304)
            #expect(try status("If-Match: \"x\"\r\n") == 412 && status("If-Match: \(tag)\r\n") == 200)
            #expect(try status("Range: bytes=0-1\r\nIf-Range: \(tag)\r\n") == 206)
            #expect(try status("Range: bytes=0-1\r\nIf-Range: \(date)\r\n") == 206)
            // Each change gives another tag: of the time, of the size, and of the inode.
            var tags: Set<String> = [tag]
            try folder.setTime("root/a", 784_111_777, nanoseconds: 6)
            tags.insert(try #require(try fixture.exchange(get("/a"), on: client).fields["etag"]))
            try folder.file("root/a", "012345678")
            try folder.setTime("root/a", 784_111_777, nanoseconds: 6)
            tags.insert(try #require(try fixture.exchange(get("/a"), on: client).fields["etag"]))
            try folder.file("root/b", "012345678")
            try folder.setTime("root/b", 784_111_777, nanoseconds: 6)
            #expect(rename("\(folder.root)/b", "\(folder.root)/a") == 0)
            tags.insert(try #require(try fixture.exchange(get("/a"), on: client).fields["etag"]))
            #expect(tags.count == 4)
            #expect(try status("Range: bytes=0-1\r\nIf-Range: \(tag)\r\n") == 200)
        }

        @Test("A date that is not a strong validator is not sent", arguments: LoopKind.all)
        func weakDate(_ kind: LoopKind) throws {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            try folder.file("root/a", "0123456789")
            // The file has changed in the current second, or in one that has not begun.
            try folder.setTime("root/a", time(nil) + 1000)
            let fixture = try HTTPFixture(kind, service: try StaticFiles(at: folder.root).service)
            let client = try fixture.connect()
            for fields in ["", "Range: bytes=0-1\r\n"] {
                let response = try fixture.exchange(get("/a", fields), on: client)
                #expect(response.fields["last-modified"] == nil && response.fields["etag"] != nil)
            }
        }

        @Test("The tag hides the inode, and notices a change whose time was restored")
        func tag() throws {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            try folder.file("root/a", "0123456789")
            try folder.setTime("root/a", 784_111_777)
            let files = try StaticFiles(at: folder.root)
            let request = HTTPMessage(HTTPRequest(method: .get, scheme: "http", authority: "a", path: "/a"))
            func tag() throws -> String { try #require(files.respond(to: request).head.headerFields[.eTag]) }
            let first = try tag()
            #expect(try first.utf8.count <= 18 && !first.contains("-") && tag() == first)
            try waitForTick()
            try folder.file("root/a", "9876543210")
            try folder.setTime("root/a", 784_111_777)
            #expect(try tag() != first)
        }

        /// Waits until the kernel's clock, whose resolution is at most 10 ms, has another time.
        private func waitForTick() throws {
            var (begin, now) = (timespec(), timespec())
            try #require(clock_gettime(CLOCK_REALTIME_COARSE, &begin) == 0)
            repeat {
                sched_yield()
                clock_gettime(CLOCK_REALTIME_COARSE, &now)
            } while now.tv_sec == begin.tv_sec && now.tv_nsec == begin.tv_nsec
        }

        @Test("A sparse file with more bytes than a connection counts is refused")
        func sparse() throws {
            var template = Array("/dev/shm/reactive-file-XXXXXX".utf8CString)
            let descriptor = mkstemp(&template)
            try #require(descriptor >= 0)
            let file = OpenFile(adopting: descriptor)
            unlink(template)
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            let files = try StaticFiles(at: folder.root)
            let request = HTTPRequest(method: .get, scheme: "http", authority: "a", path: "/a")
            for (size, status) in [(1 << 56, 200), (1 << 56 + 1, 500), (Int.max, 500)] {
                try #require(ftruncate(descriptor, size) == 0)
                #expect(files.respond(to: request, with: file, named: []).head.status.code == status)
            }
        }

        @Test("The server reports a file that it cannot read", arguments: LoopKind.all)
        func reported(_ kind: LoopKind) throws {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            let files = try StaticFiles(at: folder.root)
            // No file of the tests' user is unreadable for root, so the status comes from a descriptor without a file.
            let fixture = try HTTPFixture(kind) { request in
                files.respond(to: request.head, with: OpenFile(adopting: -1), named: [])
            }
            let client = try fixture.connect()
            let response = try fixture.exchange(get("/a"), on: client)
            #expect(response.status == 500 && response.text == "the file cannot be read\n")
            let failure = try #require(fixture.failures.values.first)
            #expect(failure.isOfService && (failure.error.cause as? SocketError)?.errno == EBADF)
            #expect(failure.error.message.contains("/a:") && fixture.failures.count == 1)
            // The connection goes on.
            #expect(try fixture.exchange("HEAD /a HTTP/1.1\r\nHost: a\r\n\r\n", on: client).status == 500)
            #expect(fixture.failures.count == 2)
        }

        @Test("Random ranges are those of the file, 300 times", arguments: LoopKind.all)
        func ranges(_ kind: LoopKind) throws {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            let bytes = SplitMix64.bytes(200_000)
            try folder.file("root/a", bytes)
            let fixture = try HTTPFixture(kind, service: try StaticFiles(at: folder.root).service)
            let client = try fixture.connect()
            var random = SplitMix64(seed: 206)
            for _ in 0..<300 {
                var texts: [String] = []
                for _ in 0..<Int.random(in: 1...5, using: &random) {
                    let start = Int.random(in: 0..<220_000, using: &random)
                    let end = start + Int.random(in: 0..<90_000, using: &random)
                    texts.append(["\(start)-\(end)", "\(start)-", "-\(start)"].randomElement(using: &random)!)
                }
                let field = "bytes=\(texts.joined(separator: ","))"
                let response = try fixture.exchange(get("/a", "Range: \(field)\r\n"), on: client)
                switch ByteRanges(field, length: bytes.count, limit: 16) {
                case .whole: Issue.record("\(field)")
                case .unsatisfiable:
                    #expect(response.status == 416 && response.fields["content-range"] == "bytes */\(bytes.count)")
                case .some(let ranges) where ranges.count == 1:
                    let isSame = response.body == Array(bytes[ranges[0]])
                    #expect(response.status == 206 && isSame, "\(field)")
                    let text = "bytes \(ranges[0].lowerBound)-\(ranges[0].upperBound - 1)/\(bytes.count)"
                    #expect(response.fields["content-range"] == text)
                case .some(let ranges):
                    let boundary = response.fields["content-type"]?.split(separator: "=").last.map(String.init) ?? ""
                    var expected: [UInt8] = []
                    for range in ranges {
                        expected += Array("\r\n--\(boundary)\r\nContent-Type: application/octet-stream\r\n".utf8)
                        let text = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(bytes.count)"
                        expected += Array("Content-Range: \(text)\r\n\r\n".utf8) + bytes[range]
                    }
                    expected += Array("\r\n--\(boundary)--\r\n".utf8)
                    let isSame = response.body == Array(expected.dropFirst(2))
                    #expect(response.status == 206 && boundary.count > 20 && isSame, "\(field)")
                }
            }
            #expect(folder.openCount == 0)
        }
    }
#endif
