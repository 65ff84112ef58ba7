// SPDX-License-Identifier: MIT
#if HTTP
    import Glibc
    import HTTPTypes
    import ReactiveSupport
    import SchedulerConformance
    import Testing

    @testable import ReactiveHTTP
    @testable import ReactiveSockets

    /// Attacks on the folder of static files. A sentinel lies beside the folder.
    @Suite struct TraversalTests {
        private func status(_ path: String, of files: StaticFiles) -> (status: Int, text: String) {
            let request = HTTPRequest(method: .get, scheme: "http", authority: "a", path: path)
            let response = files.respond(to: HTTPMessage(request))
            guard case .stored(let bytes) = response.body.content else { return (response.head.status.code, "") }
            return (response.head.status.code, String(decoding: bytes, as: UTF8.self))
        }

        /// The folder with links that lead out of it and back.
        private func makeFolder() throws -> TemporaryFolder {
            let folder = try TemporaryFolder()
            try folder.folder("root/sub")
            try folder.file("root/sub/file", "inside")
            try folder.folder("outside")
            try folder.file("outside/file", TemporaryFolder.secret)
            try folder.link("root/up", to: "..")
            try folder.link("root/out", to: "../outside")
            try folder.link("root/absolute", to: folder.path)
            try folder.link("root/secret", to: "../secret")
            try folder.link("root/sub/in", to: "../sub")
            try folder.link("root/sub/back", to: "../../root/sub")
            try folder.link("root/proc", to: "/proc/self/root")
            try folder.link("root/loop", to: "loop")
            return folder
        }

        @Test("Links are followed inside of the folder, if at all", arguments: [true, false], [true, false])
        func links(_ follows: Bool, _ walks: Bool) throws {
            let folder = try makeFolder()
            defer { folder.remove() }
            let files = StaticFiles(try OpenFolder(folder.root, followsLinks: follows, walks: walks))
            #expect(status("/sub/file", of: files) == (200, "inside"))
            // The walk of systems without openat2 follows none.
            #expect(status("/sub/in/file", of: files).status == (follows && !walks ? 200 : 404))
            for path in [
                "/up/secret", "/out/file", "/absolute/secret", "/secret", "/sub/back/file", "/proc/etc/passwd", "/loop",
                "/loop/a", "/up", "/up/", "/out", "/absolute", "/proc/", "/../secret", "/sub/../../secret",
            ] {
                #expect(status(path, of: files).status == 404, "\(path)")
            }
        }

        @Test("No random path reads the sentinel, 30,000 times", arguments: [true, false], [true, false])
        func random(_ follows: Bool, _ walks: Bool) throws {
            let folder = try makeFolder()
            defer { folder.remove() }
            var files = StaticFiles(try OpenFolder(folder.root, followsLinks: follows, walks: walks))
            files.servesHiddenFiles = true
            var random = SplitMix64(seed: 404)
            let parts = [
                "..", "%2e%2e", ".%2E", "%2F", "%2f", "%5c", "sub", "up", "out", "in", "back", "absolute",
                "sub", "sub", "file", "secret", "file", "outside", "root", "proc", "etc", "passwd", "loop", ".", "%00",
                "?", "//", "%c0%ae",
                folder.path,
            ]
            var found = 0
            for _ in 0..<30_000 {
                var path = ""
                for _ in 0..<Int.random(in: 1..<6, using: &random) {
                    if Int.random(in: 0..<6, using: &random) > 0 { path += "/" }
                    path += parts.randomElement(using: &random)!
                }
                let (status, text) = status(path, of: files)
                if text.contains("sentinel") || text.contains("root:") { Issue.record("\(path) reads \(text)") }
                if status == 200 {
                    found += 1
                    if text != "inside" { Issue.record("\(path) reads \(text)") }
                }
                if ![200, 301, 404].contains(status) { Issue.record("\(path) is answered with \(status)") }
            }
            // Otherwise the paths would test nothing.
            #expect(found > 10, "\(found)")
        }

        @Test("Only regular files are served, and nothing waits", arguments: [true, false])
        func kinds(_ walks: Bool) throws {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            #expect(mkfifo("\(folder.root)/fifo", 0o644) == 0)
            let socket = try RawListener(folder.root + "/socket")
            defer { withExtendedLifetime(socket) {} }
            try folder.file("root/refused", "x")
            try folder.folder("root/closed")
            #expect(chmod("\(folder.root)/refused", 0) == 0 && chmod("\(folder.root)/closed", 0) == 0)
            let files = StaticFiles(try OpenFolder(folder.root, followsLinks: true, walks: walks))
            // The open of a FIFO would wake its writer.
            let opens = inotify_init1(O_NONBLOCK | O_CLOEXEC)
            defer { close(opens) }
            #expect(inotify_add_watch(opens, "\(folder.root)/fifo", UInt32(IN_OPEN)) >= 0)
            func hasOpened() -> Bool {
                var buffer = [UInt8](repeating: 0, count: 1024)
                return read(opens, &buffer, buffer.count) > 0
            }
            #expect(status("/fifo", of: files).status == 404 && !hasOpened())
            let fifo = open("\(folder.root)/fifo", O_RDONLY | O_NONBLOCK | O_CLOEXEC)
            #expect(fifo >= 0 && hasOpened())
            close(fifo)
            #expect(status("/fifo", of: files).status == 404 && status("/socket", of: files).status == 404)
            // Root may read everything.
            if getuid() != 0 {
                #expect(status("/refused", of: files).status == 403 && status("/closed/a", of: files).status == 403)
            }
            let long = String(repeating: "a", count: 300)
            #expect(status("/\(long)", of: files).status == 404)
            #expect(status("/" + String(repeating: "a/", count: 3000), of: files).status == 404)
            #expect(folder.openCount == 0)
        }

        @Test("A missing folder is an error, and a device is not served")
        func errors() throws {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            let files = try StaticFiles(at: "/dev", links: .none)
            #expect(status("/null", of: files).status == 404 && status("/zero", of: files).status == 404)
            for path in ["\(folder.path)/none", "\(folder.path)/secret"] {
                do throws(SocketError) {
                    _ = try StaticFiles(at: path)
                    Issue.record("\(path) is no folder")
                } catch {
                    #expect(error.code == .noSuchPath && error.message.contains(path))
                }
            }
        }
    }

    /// A Unix socket at a path.
    private final class RawListener {
        private let descriptor: Int32

        init(_ path: String) throws {
            descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            let code = try SocketAddress.unix(path: path).withSockaddr { bind(descriptor, $0, $1) }
            guard code == 0 else { throw Unexpected(description: "bind \(errno)") }
        }

        deinit { close(descriptor) }
    }
#endif
