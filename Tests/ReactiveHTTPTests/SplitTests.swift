// SPDX-License-Identifier: MIT
#if HTTP
    import HTTPTypes
    import ReactiveSockets
    import ReactiveSupport
    import SchedulerConformance
    import Testing

    @testable import ReactiveHTTP

    @Suite struct SplitTests {
        private static let streams = [
            "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
            "\r\nPOST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc\r\nGET / HTTP/1.0\r\n\r\n",
            Rejection.chunked
                + "3;e=\"f\"\r\nabc\r\na\r\n0123456789\r\n0\r\nX-T: 1\r\nY-T: 2\r\n\r\nGET / HTTP/1.1\r\nHo",
            "HEAD http://[::1]:8080/?q HTTP/1.1\r\nHost: [::1]:8080\r\nAccept: \t*/* \t\r\nEmpty:\r\n\r\n\r",
        ]

        @Test("Every split of a stream gives the same messages", arguments: streams)
        func everySplit(text: String) {
            let stream = Array(text.utf8)
            let whole = ParsedMessages(stream)
            #expect(whole.error == nil)
            #expect(ParsedMessages(stream, cutAt: Array(1..<stream.count)) == whole)
            for first in 1..<stream.count {
                for second in first..<min(stream.count, first + 12) {
                    #expect(ParsedMessages(stream, cutAt: [first, second]) == whole)
                }
            }
        }

        @Test("Every prefix of a stream gives the same messages, whether it is split or not", arguments: streams)
        func everyPrefix(text: String) {
            for count in 0...text.utf8.count {
                let stream = Array(text.utf8.prefix(count))
                #expect(ParsedMessages(stream, cutAt: Array(0..<stream.count)) == ParsedMessages(stream))
            }
        }

        /// The model writes the messages, so it knows what the parser must return.
        @Test("Random messages with random splits are those that were written", arguments: 0..<200)
        func random(seed: UInt64) {
            var random = SplitMix64(seed: seed)
            for _ in 0..<20 {
                let models = (0..<Int.random(in: 1...4, using: &random)).map { _ in ModelRequest(&random) }
                let stream = models.flatMap(\.text)
                let cuts = (0..<Int.random(in: 0...20, using: &random))
                    .map { _ in Int.random(in: 0...stream.count, using: &random) }.sorted()
                let parsed = ParsedMessages(stream, cutAt: cuts)
                #expect(parsed.errorText == nil)
                #expect(parsed.messages.map(ModelRequest.init) == models, "seed \(seed)")
            }
        }
    }

    /// A request that a test has written.
    private struct ModelRequest: Equatable {
        var method: String
        var path: String
        var host: String
        var fields: [[String]]
        var body: [UInt8]
        var trailers: [[String]]
        var text: [UInt8] = []

        static func == (one: Self, other: Self) -> Bool {
            one.method == other.method && one.path == other.path && one.host == other.host && one.fields == other.fields
                && one.body == other.body && one.trailers == other.trailers
        }

        init(_ message: ParsedMessages.Message) {
            method = message.request?.method.rawValue ?? ""
            path = message.request?.path ?? ""
            host = message.request?.authority ?? ""
            let ignored = ["content-length", "transfer-encoding"]
            fields = (message.request?.headerFields ?? [:]).filter { !ignored.contains($0.name.canonicalName) }
                .map { [$0.name.canonicalName, $0.value] }
            body = message.body
            trailers = (message.trailers ?? [:]).map { [$0.name.canonicalName, $0.value] }
        }

        init(_ random: inout SplitMix64) {
            func field(_ random: inout SplitMix64) -> [String] {
                let names = ["accept", "x-a", "cookie", "user-agent", "sec-ch-ua-platform", "a", "x-\(random.next())"]
                let values = [
                    "", "*/*", "a, b", "\"x\ty\"", "é", String(repeating: "v", count: Int(random.next() % 90)),
                ]
                return [names.randomElement(using: &random) ?? "", values.randomElement(using: &random) ?? ""]
            }
            func lines(_ fields: [[String]], _ random: inout SplitMix64) -> [String] {
                fields.map { field in
                    let name = Bool.random(using: &random) ? field[0] : field[0].uppercased()
                    let blanks = ["", " ", "\t", "  \t"]
                    let (before, after) = (blanks.randomElement(using: &random), blanks.randomElement(using: &random))
                    return "\(name):\(before ?? "")\(field[1])\(after ?? "")\r\n"
                }
            }
            method = ["GET", "POST", "PURGE", "M-SEARCH"].randomElement(using: &random) ?? ""
            path = "/" + String(repeating: "p", count: Int(random.next() % 40))
            host = ["a", "a.example:80", "[::1]"].randomElement(using: &random) ?? ""
            fields = (0..<Int(random.next() % 6)).map { _ in field(&random) }
            body = []
            trailers = []
            var heads = lines(fields, &random) + ["Host: \(host)\r\n"]
            var content: [UInt8] = []
            switch random.next() % 3 {
            case 0: break
            case 1:
                body = (0..<random.next() % 100).map { _ in UInt8(truncatingIfNeeded: random.next()) }
                content = body
                heads.append("Content-Length: \(body.count)\r\n")
            default:
                heads.append("Transfer-Encoding: chunked\r\n")
                for _ in 0..<random.next() % 5 {
                    let chunk = (0...random.next() % 50).map { _ in UInt8(truncatingIfNeeded: random.next()) }
                    body += chunk
                    let size = String(chunk.count, radix: 16, uppercase: Bool.random(using: &random))
                    content += Array("\(size)\(Bool.random(using: &random) ? "" : ";a=b")\r\n".utf8) + chunk + [13, 10]
                }
                trailers = (0..<Int(random.next() % 3)).map { _ in field(&random) }
                content += Array("0\r\n\(lines(trailers, &random).joined())\r\n".utf8)
            }
            // Host may stand anywhere, and the order of the others is kept.
            let place = Int.random(in: 0...fields.count, using: &random)
            heads.insert(heads.remove(at: fields.count), at: place)
            text = Array("\(method) \(path) HTTP/1.1\r\n\(heads.joined())\r\n".utf8) + content
        }
    }
#endif
