// SPDX-License-Identifier: MIT
#if HTTP
    import FuzzSupport
    import ReactiveSupport
    import SchedulerConformance

    @testable import ReactiveHTTP

    /// Compares our parser of HTTP/1.1 with itself on other splits, and with llhttp in strict mode.
    ///
    /// The first byte of an input selects the role: requests, or responses if it is odd.
    enum HTTPFuzzer {
        static let fuzzer = Fuzzer("http", make: make, check: check)

        private static let spoiler = Spoiler(delimiters: [
            "\r\n", "\r", "\n", " ", "\t", ":", ";", ",", "\u{0}", "\r\n ", "\r\n\r\n", "%", "%zz", "chunked",
            "HTTP/1.1",
            "Content-Length: 1\r\n", "Transfer-Encoding: chunked\r\n", "Host: b\r\n", "\"", "=", "#", "é", "0\r\n\r\n",
        ])

        private static let methods = [
            "GET", "POST", "HEAD", "PUT", "OPTIONS", "CONNECT", "DELETE", "PURGE", "BREW", "PRI",
        ]
        private static let targets = [
            "/", "/", "/a?b=c", "/%20", "*", "http://h/", "http://h", "https://h:1/p?q", "h:443", "//", "/[]{}|^`", "a",
            "/?",
        ]
        private static let versions = [
            "HTTP/1.1", "HTTP/1.1", "HTTP/1.1", "HTTP/1.0", "HTTP/1.2", "HTTP/2.0", "http/1.1",
        ]
        private static let statuses = [
            "200 OK", "200", "200 ", "204 No Content", "304 x", "100 Continue", "101 S", "404 é", "600 x", "099 x",
        ]
        private static let lines = [
            "Accept: */*", "X-A: b", "X-A:b", "X-A:\t b\t", "Empty:", "Connection: close", "Connection: keep-alive",
            "Connection: upgrade", "Upgrade: x", "Expect: 100-continue", "Cookie: a=b; c=\"d\"", "X-É: é",
            "Host: h", "Host: h:80", "Host: [::1]", "Host: a b", "X : y", ": z", "X", " folded", "Trailer: X-T",
        ]
        private static let lengths = [
            "Content-Length: 5", "Content-Length: 5", "content-length:5", "Content-Length: 05", "Content-Length: +5",
            "Content-Length: 5, 5", "Content-Length: 5 ", "Content-Length: 0", "Content-Length:",
        ]
        private static let codings = [
            "Transfer-Encoding: chunked", "Transfer-Encoding: chunked", "transfer-encoding:CHUNKED",
            "Transfer-Encoding: gzip, chunked", "Transfer-Encoding: gzip", "Transfer-Encoding: chunked, identity",
            "Transfer-Encoding: chunked,chunked", "Transfer-Encoding:", "Transfer-Encoding: xchunked",
        ]
        private static let chunks = [
            "5\r\nhello\r\n", "5\r\nhello\r\n", "05\r\nhello\r\n", "5;a=b\r\nhello\r\n", "5;a=\"b\\\"\"\r\nhello\r\n",
            "5 ;a\r\nhello\r\n", "5;\r\nhello\r\n", "0x5\r\nhello\r\n", "5 \r\nhello\r\n", "a\r\n0123456789\r\n",
        ]

        private static func make(_ random: inout SplitMix64) -> [UInt8] {
            let isResponse = random.oneIn(4)
            var stream = ""
            for _ in 0..<random.number(in: 1..<4) { stream += message(isResponse, &random) }
            var bytes = Array(stream.utf8)
            spoiler.spoil(&bytes, &random)
            return [isResponse ? 1 : 0] + bytes
        }

        /// Mostly valid: an odd part in one of some messages.
        private static func message(_ isResponse: Bool, _ random: inout SplitMix64) -> String {
            func one(_ choices: [String], _ random: inout SplitMix64) -> String {
                random.oneIn(8) ? random.pick(choices) : choices[0]
            }
            let version = one(versions, &random)
            let target = random.oneIn(5) ? random.pick(targets) : "/"
            let method = one(methods, &random)
            var text =
                isResponse ? "\(version) \(one(statuses, &random))\r\n" : "\(method) \(target) \(version)\r\n"
            if !isResponse, !random.oneIn(16) { text += "Host: h\r\n" }
            for _ in 0..<random.number(in: 0..<4) {
                text += random.oneIn(10) ? random.pick(lines) : lines[random.number(in: 0..<12)]
                text += "\r\n"
            }
            switch random.number(in: 0..<6) {
            case 0, 1: return text + "\r\n"
            case 2, 3: return text + "\(one(lengths, &random))\r\n\r\nhello"
            case 4 where random.oneIn(4):
                return text + "\(one(lengths, &random))\r\n\(one(codings, &random))\r\n\r\n0\r\n\r\n"
            default:
                text += "\(one(codings, &random))\r\n\r\n"
                for _ in 0..<random.number(in: 0..<3) { text += one(chunks, &random) }
                return text + (random.oneIn(3) ? "0\r\nX-T: 1\r\n\r\n" : "0\r\n\r\n")
            }
        }

        private static func check(_ input: [UInt8], _ random: inout SplitMix64) -> String? {
            guard let first = input.first else { return nil }
            let (isResponse, stream) = (!first.isMultiple(of: 2), Array(input.dropFirst()))
            let ours = HTTPDigest(stream, isResponse: isResponse)
            for _ in 0..<2 {
                let places = random.cuts(of: stream.count)
                let split = HTTPDigest(stream, isResponse: isResponse, cutAt: places)
                if split != ours { return "cut at \(places): \(split), and not \(ours)" }
            }
            guard let theirs = LLHTTP.shared?.parse(stream, isResponse: isResponse) else { return nil }
            return HTTPDifference(stream, isResponse: isResponse, ours: ours, theirs: theirs)?.unexplained
        }
    }
#endif
