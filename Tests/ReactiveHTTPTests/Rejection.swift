// SPDX-License-Identifier: MIT
#if HTTP
    @testable import ReactiveHTTP

    /// A request that the parser must reject. The cases are those of RFC 9112 and of the literature on request smuggling:
    /// "HTTP Request Smuggling" (Linhart et al., 2005), "HTTP Desync Attacks" (Kettle, 2019), "T-Reqs" (Jabiyev et al.,
    /// 2021), "Funky chunks" (2025).
    struct Rejection: Sendable {
        let name: String
        let text: String
        let code: HTTPError.Code

        init(_ name: String, _ text: String, _ code: HTTPError.Code = .malformed) {
            self.name = name
            self.text = text
            self.code = code
        }

        static let chunked = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"

        private static func line(_ line: String, _ code: HTTPError.Code = .malformed) -> Rejection {
            Rejection("request line", "\(line)\r\nHost: h\r\n\r\n", code)
        }
        private static func fields(_ name: String, _ lines: String, _ code: HTTPError.Code = .malformed) -> Rejection {
            Rejection(name, "POST / HTTP/1.1\r\nHost: h\r\n\(lines)\r\n\r\n", code)
        }
        private static func chunk(_ name: String, _ body: String) -> Rejection { Rejection(name, chunked + body) }

        static let requestLines: [Rejection] = [
            line(" GET / HTTP/1.1"), line("\r\n\r\nGET / HTTP/1.1"), line("\nGET / HTTP/1.1"), line("\rGET / HTTP/1.1"),
            line("GET  / HTTP/1.1"), line("GET /  HTTP/1.1"), line("GET\t/ HTTP/1.1"), line("GET /\tHTTP/1.1"),
            line("GET / HTTP/1.1 "), line("GET / HTTP/1.1\t"), line("GET /"), line("GET"), line("GET  HTTP/1.1"),
            line("G<T / HTTP/1.1"), line("GET: / HTTP/1.1"), line("G\u{0}T / HTTP/1.1"), line("\u{16}\u{3}\u{1}"),
            line("GET /a b HTTP/1.1"), line("GET /\u{0} HTTP/1.1"), line("GET /\u{7f} HTTP/1.1"),
            line("GET /\u{e9} HTTP/1.1"), line("GET /#f HTTP/1.1"), line("GET /\" HTTP/1.1"), line("GET /<> HTTP/1.1"),
            line("GET /\\ HTTP/1.1"), line("GET /% HTTP/1.1"), line("GET /%2 HTTP/1.1"), line("GET /%2g HTTP/1.1"),
            line("GET a HTTP/1.1"), line("GET ?a HTTP/1.1"), line("GET * HTTP/1.1"), line("GET http:// HTTP/1.1"),
            line("GET http:///a HTTP/1.1"), line("GET http:/a HTTP/1.1"), line("GET http://a@b/ HTTP/1.1"),
            line("GET http://a:b/ HTTP/1.1"), line("GET 1ttp://a/ HTTP/1.1"), line("GET mailto:a HTTP/1.1"),
            line("GET h:443 HTTP/1.1"), line("CONNECT / HTTP/1.1"), line("CONNECT h HTTP/1.1"),
            line("CONNECT h: HTTP/1.1"), line("CONNECT :1 HTTP/1.1"), line("CONNECT http://h:1 HTTP/1.1"),
            line("CONNECT [::1 HTTP/1.1"), line("CONNECT h:123456 HTTP/1.1"),
            line("GET / http/1.1"), line("GET / HTTP/1"), line("GET / HTTP/1.10"), line("GET / HTTP/11"),
            line("GET / HTTP/+1.1"), line("GET / HTTP/1,1"), line("GET / HTTP/a.1"), line("GET / HTTPS/1.1"),
            line("GET / HTP/1.1"), line("GET /HTTP/1.1"),
            line("GET / HTTP/2.0", .versionNotSupported), line("PRI * HTTP/2.0", .versionNotSupported),
            line("GET / HTTP/0.9", .versionNotSupported), line("GET / HTTP/3.0", .versionNotSupported),
            Rejection("bare line feed", "GET / HTTP/1.1\nHost: h\r\n\r\n"),
            Rejection("bare line feed", "GET / HTTP/1.1\n\n"),
            Rejection("bare carriage return", "GET / HTTP/1.1\rHost: h\r\n\r\n"),
            Rejection("two carriage returns", "GET / HTTP/1.1\r\r\nHost: h\r\n\r\n"),
        ]

        static let hosts: [Rejection] =
            [
                Rejection("no Host", "GET / HTTP/1.1\r\n\r\n"), Rejection("no Host", "GET http://h/ HTTP/1.1\r\n\r\n"),
                Rejection("empty Host", "GET / HTTP/1.0\r\nHost:\r\n\r\n"),
                Rejection("empty Host", "GET http://h/ HTTP/1.1\r\nHost:\r\n\r\n"),
                Rejection("empty Host", "OPTIONS * HTTP/1.1\r\nHost:\r\n\r\n"),
                Rejection("empty Host", "CONNECT h:1 HTTP/1.1\r\nHost:\r\n\r\n"),
            ]
            + [
                "Host: a\r\nHost: a", "Host: a\r\nhost: b", "Host: a b", "Host: a,b c", "Host: a@b", "Host: a/b",
                "Host: a?b", "Host: a#b", "Host: http://a", "Host: a:b", "Host: a:-1", "Host: :80", "Host: a:80:80",
                "Host: [::1", "Host: ::1", "Host: []", "Host: [::1]a", "Host: a%", "Host: a%zz", "Host: \u{e9}",
                "Host: a\\b", "Host: \"a\"", "Host: a\tb", "Host:", "Host: ", "Host:\t \t", "Host: a\r\nHost:",
                "Host:\r\nHost: a",
            ].map { Rejection("Host", "GET / HTTP/1.1\r\n\($0)\r\n\r\n") }

        static let fieldLines: [Rejection] = [
            fields("space before the colon", "A : b"), fields("tab before the colon", "A\t: b"),
            fields("space before the colon", "Content-Length : 5"), fields("no name", ": b"), fields("no name", " : b"),
            fields("no colon", "A"), fields("no colon", "A b"), fields("token", "A(b: c"), fields("token", "A@b: c"),
            fields("token", "\u{e9}: c"), fields("token", "A\u{0}: c"), fields("token", "\"A\": c"),
            fields("token", "[A]: c"), fields("token", "A/: c"), fields("token", "A;b: c"), fields("token", "{A}: c"),
            fields("fold", "A: b\r\n c"), fields("fold", "A: b\r\n\tc: d"), fields("fold", "A: b\r\n \r\nC: d"),
            Rejection("fold of the first line", "GET / HTTP/1.1\r\n Host: h\r\n\r\n"),
            fields("control", "A: \u{0}"), fields("control", "A: b\u{1}c"), fields("control", "A: b\u{7f}"),
            fields("control", "A: b\u{b}c"), fields("control", "A: b\u{c}"), fields("control", "A\u{b}: b"),
            fields("bare carriage return", "A: b\rC: d"), fields("bare carriage return", "A: b\r"),
            fields("bare carriage return", "A: \r b"), fields("bare carriage return", "\rA: b"),
            fields("bare line feed", "A: b\nC: d"), fields("bare line feed", "A: b\n\n"),
            fields("bare line feed", "\nTransfer-Encoding: chunked"), fields("bare line feed", "A:\nb"),
            Rejection("bare line feed at the end", "GET / HTTP/1.1\r\nHost: h\r\n\n"),
        ]

        static let lengths: [Rejection] =
            [
                "", "+5", "-5", "-0", "5,5", "5, 5", "5 5", "0x5", "5a", "5.0", "1e1", "\"5\"", "5;", "\u{b}5", "5\t5",
                "9223372036854775808", "18446744073709551616", "99999999999999999999999999", "\u{0665}", "1_000", ",5",
            ].map { fields("Content-Length", "Content-Length: \($0)") }
            + [
                fields("two lengths", "Content-Length: 5\r\nContent-Length: 5"),
                fields("two lengths", "Content-Length: 5\r\ncontent-length: 6"),
                fields("both", "Content-Length: 5\r\nTransfer-Encoding: chunked"),
                fields("both", "Transfer-Encoding: chunked\r\nContent-Length: 0"),
                fields("both", "Transfer-Encoding: identity\r\nContent-Length: 0"),
                Rejection("HTTP/1.0", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
                fields("underscore", "Content_Length: 5\r\nTransfer-Encoding: gzip\r\nContent-Length: 5"),
            ]
            + [
                Rejection("CONNECT", "CONNECT h:1 HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello"),
                Rejection("CONNECT", "CONNECT h:1 HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
                Rejection("TRACE", "TRACE / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello"),
                Rejection("TRACE", "TRACE / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
            ]
            + [
                "", "identity", "xchunked", "chunked x", "chunked;q=1", "\"chunked\"", "chunked, identity",
                "chunked, chunked", "chunked,", ", chunked", "gzip,,chunked", "chunke", "chunked\u{2028}", "[chunked]",
                "gzip, chunked, gzip", "chunked\tx", "ch\tunked", "chun\u{a0}ked",
            ].map { fields("Transfer-Encoding", "Transfer-Encoding: \($0)") }
            + [
                fields("Transfer-Encoding", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked"),
                fields("Transfer-Encoding", "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity"),
                fields("Transfer-Encoding", "Transfer-Encoding: gzip, chunked\r\nTransfer-Encoding: chunked"),
                fields("Transfer-Encoding", "Transfer-Encoding: chunked\r\nTransfer-Encoding:"),
                fields("Transfer-Encoding", "Transfer-Encoding: gzip, chunked", .notImplemented),
                fields("Transfer-Encoding", "Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked", .notImplemented),
            ]

        static let chunks: [Rejection] = [
            chunk("sign", "+5\r\nhello\r\n0\r\n\r\n"), chunk("sign", "-5\r\nhello\r\n0\r\n\r\n"),
            chunk("prefix", "0x5\r\nhello\r\n0\r\n\r\n"), chunk("spaces", " 5\r\nhello\r\n0\r\n\r\n"),
            chunk("spaces", "5 \r\nhello\r\n0\r\n\r\n"), chunk("spaces", "5\t\r\nhello\r\n0\r\n\r\n"),
            chunk("spaces", "5 5\r\nhello\r\n0\r\n\r\n"), chunk("empty", "\r\n0\r\n\r\n"), chunk("empty", ";a\r\n\r\n"),
            chunk("digit", "g\r\n\r\n"), chunk("digit", "5g\r\nhello\r\n0\r\n\r\n"), chunk("digit", "5_\r\nhello\r\n"),
            chunk("overflow", "10000000000000000\r\n"), chunk("overflow", "8000000000000000\r\n"),
            chunk("overflow", "ffffffffffffffff\r\n"), chunk("overflow", "fffffffffffffffffffff\r\n"),
            chunk("line feed", "5\nhello\r\n0\r\n\r\n"), chunk("line feed", "5;a\nhello\r\n0\r\n\r\n"),
            chunk("line feed", "5\r\nhello\n0\r\n\r\n"), chunk("line feed", "5\r\nhello\r\n0\n\n"),
            chunk("line feed", "5\r\nhello\r\n0\r\n\n"), chunk("carriage return", "5\rX\nhello\r\n0\r\n\r\n"),
            chunk("carriage return", "5\r\r\nhello\r\n0\r\n\r\n"),
            chunk("carriage return", "5;a\rb\r\nhello\r\n0\r\n\r\n"),
            chunk("end", "5\r\nhelloX\r\n0\r\n\r\n"), chunk("end", "5\r\nhello0\r\n\r\n"),
            chunk("end", "5\r\nhello\rX0\r\n\r\n"), chunk("end", "5\r\nhello\r\r\n0\r\n\r\n"),
            chunk("extension", "5;\r\nhello\r\n0\r\n\r\n"), chunk("extension", "5;;a\r\nhello\r\n"),
            chunk("extension", "5;=a\r\nhello\r\n"), chunk("extension", "5;a=\r\nhello\r\n"),
            chunk("extension", "5;a b\r\nhello\r\n"), chunk("extension", "5;a=\"b\r\nhello\r\n"),
            chunk("extension", "5;a=\"b\"c\r\nhello\r\n"), chunk("extension", "5;a=\"\\\"\r\nhello\r\n"),
            chunk("extension", "5;a=\"\u{0}\"\r\nhello\r\n"), chunk("extension", "5;a \r\nhello\r\n"),
            chunk("trailer", "0\r\nA : b\r\n\r\n"), chunk("trailer", "0\r\nA: b\r\n c\r\n\r\n"),
            chunk("trailer", "0\r\nA\r\n\r\n"), chunk("trailer", "0\r\nA: b\n\r\n"),
            chunk("trailer", "0\r\n: b\r\n\r\n"),
        ]

        static let all = requestLines + hosts + fieldLines + lengths + chunks
    }

#endif
