// SPDX-License-Identifier: MIT
#if HTTP
    import HTTPTypes
    import ReactiveSockets
    import Testing

    @testable import ReactiveHTTP

    @Suite struct LimitTests {
        private var limits: HTTPLimits {
            var limits = HTTPLimits()
            limits.startLine = 40
            limits.fieldCount = 4
            limits.fieldBytes = 60
            limits.chunkExtensionBytes = 20
            limits.bodyBytes = 30
            return limits
        }

        /// The error that both the whole stream and single bytes cause.
        private func code(_ text: String) -> HTTPError.Code? {
            let stream = Array(text.utf8)
            let whole = ParsedMessages(stream, limits: limits)
            #expect(ParsedMessages(stream, limits: limits, cutAt: Array(0..<stream.count)) == whole)
            return whole.error?.code
        }

        @Test("A request line may be as long as its limit", arguments: [-1, 0, 1, 2, 100])
        func startLine(excess: Int) {
            let target = String(repeating: "a", count: 40 - "GET / HTTP/1.1".count + excess)
            #expect(code("GET /\(target) HTTP/1.1\r\nHost: h\r\n\r\n") == (excess > 0 ? .targetTooLong : nil))
            // Another error in the line is not reported before the limit, with and without a line feed.
            #expect(code("GET /\(target)\u{1}HTTP/1.1\r\n") == (excess > 0 ? .targetTooLong : .malformed))
            #expect(code("GET /\(target) HTTP/1.1\n") == (excess > 0 ? .targetTooLong : .malformed))
            #expect(code("GET /\(target) HTTP/1.1") == (excess > 1 ? .targetTooLong : nil))
        }

        @Test("The fields may have as many bytes as their limit", arguments: [-1, 0, 1, 2, 100])
        func fieldBytes(excess: Int) {
            let value = String(repeating: "v", count: 60 - "Host: h\r\nA: \r\n".utf8.count + excess)
            let head = "GET / HTTP/1.1\r\nHost: h\r\nA: \(value)"
            #expect(code(head + "\r\n\r\n") == (excess > 0 ? .fieldsTooLarge : nil))
            #expect(code(head + "\r\n") == (excess > 0 ? .fieldsTooLarge : nil))
            #expect(code(head + "\r") == (excess > 1 ? .fieldsTooLarge : nil))
            #expect(code(head.dropLast() + "\u{1}\r\n") == (excess > 0 ? .fieldsTooLarge : .malformed))
        }

        @Test("A message may have as many fields as their limit", arguments: [3, 4, 5])
        func fieldCount(count: Int) {
            let fields = String(repeating: "A:b\r\n", count: count - 1)
            #expect(code("GET / HTTP/1.1\r\nHost: h\r\n\(fields)\r\n") == (count > 4 ? .fieldsTooLarge : nil))
            // The fields of a trailer count by themselves.
            let trailer = "0\r\nA:b\r\n\(fields)\r\n"
            let head = "POST / HTTP/1.1\r\nHost:h\r\nTransfer-Encoding:chunked\r\n\r\n"
            #expect(code(head + trailer) == (count > 4 ? .fieldsTooLarge : nil))
        }

        @Test("A body may be as long as its limit", arguments: [29, 30, 31])
        func body(count: Int) {
            let head = "POST / HTTP/1.1\r\nHost: h\r\n"
            #expect(code(head + "Content-Length: \(count)\r\n\r\n") == (count > 30 ? .contentTooLarge : nil))
            let chunks = "14\r\n\(String(repeating: "a", count: 20))\r\n\(String(count - 20, radix: 16))\r\n"
            #expect(
                code(head + "Transfer-Encoding: chunked\r\n\r\n\(chunks)") == (count > 30 ? .contentTooLarge : nil)
            )
            let huge = head + "Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n7fffffffffffffff\r\n"
            #expect(code(huge) == .contentTooLarge)
        }

        @Test("Chunk extensions and leading zeros count together", arguments: [-1, 0, 1, 2, 50])
        func extensions(excess: Int) {
            let head = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
            // 16 bytes of each line are free.
            let first = "1;a=\(String(repeating: "b", count: 22))\r\nx\r\n"  // 10 over
            let second = String(repeating: "0", count: 25 + excess) + "1"  // 10 + excess over
            #expect(code(head + first + second + "\r\n") == (excess > 0 ? .contentTooLarge : nil))
            #expect(code(head + first + second) == (excess > 1 ? .contentTooLarge : nil))
        }

        @Test("The limits count the bytes of each message by themselves")
        func eachMessage() {
            let head = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
            // 30 bytes of a body, and 20 of extensions.
            let chunk = "1e;a=\(String(repeating: "b", count: 31))\r\n\(String(repeating: "x", count: 30))\r\n"
            #expect(code(head + chunk + "0\r\n\r\n" + head + chunk + "0\r\n\r\n") == nil)
            #expect(code(head + chunk + "1\r\n") == .contentTooLarge)
            #expect(code(head + chunk + String(repeating: "0", count: 17) + "\r\n\r\n") == .contentTooLarge)
        }

        @Test("The largest limits do not overflow")
        func largest() {
            var limits = HTTPLimits()
            limits.startLine = .max
            limits.fieldBytes = .max
            limits.fieldCount = .max
            limits.chunkExtensionBytes = .max
            limits.bodyBytes = .max
            let fields = String(repeating: "A:b\r\n", count: 65_534)
            #expect(ParsedMessages("GET / HTTP/1.0\r\n\(fields)\r\n", limits: limits).messages.count == 1)
            #expect(ParsedMessages("GET / HTTP/1.0\r\n\(fields)A:b\r\n", limits: limits).error?.code == .fieldsTooLarge)
            let text = Rejection.chunked + "1;a\r\nx\r\n7fffffffffffffff\r\n"
            #expect(ParsedMessages(text, limits: limits).error?.code == .contentTooLarge)
            #expect(ParsedMessages(Rejection.chunked + "1;a\r\nx\r\n0\r\n\r\n", limits: limits).error == nil)
        }
    }
#endif
