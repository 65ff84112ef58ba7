// SPDX-License-Identifier: MIT
#if HTTP
    import ReactiveSupport
    import SchedulerConformance
    import Testing

    @testable import ReactiveHTTP

    @Suite struct FilePathTests {
        private func names(_ path: String, below prefix: String = "/") -> [String]? {
            FilePath(path, below: prefix).map { path in
                path.names.map { String(decoding: $0, as: UTF8.self) } + (path.isFolder ? ["/"] : [])
            }
        }

        @Test("Names are split at slashes and decoded once")
        func accepted() {
            #expect(names("/") == ["/"])
            #expect(names("/a.html") == ["a.html"] && names("/a/b?c=/../d") == ["a", "b"])
            #expect(names("/a/b/") == ["a", "b", "/"])
            #expect(names("/%61%20b/%C3%a4") == ["a b", "ä"])
            #expect(names("/a%2561") == ["a%61"] && names("/%5c..%5C") == ["\\..\\"])
            #expect(names("/...") == ["..."] && names("/..a/.b") == ["..a", ".b"])
            #expect(names("/static/a", below: "/static/") == ["a"] && names("/static/", below: "/static/") == ["/"])
        }

        @Test(
            "Other paths are refused",
            arguments: [
                "", "a", "*", "//", "//a", "/a//b", "/a//", "/.", "/..", "/../a", "/a/../b", "/a/..", "/a/./b",
                "/%2e%2e/a",
                "/.%2E", "/%2e", "/a%2fb", "/%2F", "/a%00", "/%", "/%4", "/%g0", "/a%",
            ]
        )
        func refused(_ path: String) {
            #expect(names(path) == nil)
        }

        @Test("A path outside of the prefix is refused")
        func prefix() {
            for path in ["/static", "/", "/statics/a", "/%73tatic/a", "/other/static/a"] {
                #expect(names(path, below: "/static/") == nil)
            }
        }

        @Test("The location of a folder is a path on the same host")
        func location() throws {
            func location(_ path: String) throws -> String {
                try #require(FilePath(path)).folderLocation(below: "/")
            }
            #expect(try location("/a/b?c=d") == "/a/b/?c=d")
            #expect(try location("/%5cevil.example%0d%0aX") == "/%5Cevil.example%0D%0AX/")
            #expect(FilePath("//evil.example") == nil && FilePath("/%2fevil.example") == nil)
        }

        @Test("Names with a dot at their beginning are hidden, except .well-known of the root")
        func hidden() throws {
            for (path, isHidden) in [
                ("/.git/config", true), ("/a/.b", true), ("/%2egit", true), ("/.well-known/a", false),
                ("/a/.well-known/b", true), ("/a.b", false),
            ] {
                #expect(try #require(FilePath(path)).isHidden == isHidden)
            }
        }

        @Test("A random path never has a name that leaves the folder, 100,000 times")
        func random() {
            var random = SplitMix64(seed: 53)
            let parts = [
                "/", ".", "..", "%2e", "%2F", "%5c", "\\", "a", "%00", "%25", "2e", "?", "%", ";", "//", "%c0%ae",
            ]
            for _ in 0..<100_000 {
                let text =
                    "/"
                    + (0..<Int.random(in: 0..<12, using: &random)).map { _ in parts.randomElement(using: &random)! }
                    .joined()
                guard let path = FilePath(text) else { continue }
                for name in path.names {
                    let isSafe =
                        !name.isEmpty && name != Array(".".utf8) && name != Array("..".utf8) && !name.contains(0)
                        && !name.contains(UInt8(ascii: "/"))
                    if !isSafe { Issue.record("\(text) has the name \(name)") }
                }
                let location = path.folderLocation(below: "/")
                if location.hasPrefix("//") || location.hasPrefix("/\\") { Issue.record("\(text) → \(location)") }
            }
        }
    }
#endif
