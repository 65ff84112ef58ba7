// SPDX-License-Identifier: MIT
#if NATS
    import ReactiveSockets
    import ReactiveSupport
    import Testing

    @testable import ReactiveNATS

    @Suite struct ServerParserTests {
        /// The operations of a stream that arrives in chunks of these sizes, as texts. The last one is an error, if any.
        private func parse(_ stream: [UInt8], sizes: [Int]) -> [String] {
            var parser = ServerParser()
            var (rest, found) = (stream[...], [String]())
            for size in sizes + [stream.count] where !rest.isEmpty {
                parser.add(Bytes(rest.prefix(size)))
                rest = rest.dropFirst(size)
                do throws(NATSError) {
                    while let operation = try parser.next() { found.append(text(of: operation)) }
                } catch {
                    return found + ["\(error.code)"]
                }
            }
            return found
        }

        private func text(of operation: ServerOperation) -> String {
            switch operation {
            case .message(let number, let delivery):
                let parts = [String(delivery.headers), String(delivery.payload)]
                return "message \(number) \(delivery.subject) \(delivery.reply ?? "-") \(parts)"
            default: return "\(operation)"
            }
        }

        private func stream(_ random: inout SplitMix64) -> [UInt8] {
            var stream: [UInt8] = []
            for _ in 0..<Int.random(in: 1...12, using: &random) {
                let bytes: [UInt8] = [10, 13, 32, 77, 255]
                let payload = (0..<Int.random(in: 0...20, using: &random)).map { _ in
                    bytes.randomElement(using: &random) ?? 0
                }
                let ending: [UInt8] = [13, 10]
                let number = Int.random(in: 0...1000, using: &random)
                let headers = Array("NATS/1.0\r\na: b\r\n\r\n".utf8)
                switch Int.random(in: 0..<7, using: &random) {
                case 0: stream += Array("PING\r\n".utf8)
                case 1: stream += Array("pong\r\n".utf8)
                case 2: stream += Array("+OK\n".utf8)
                case 3: stream += Array("-ERR 'Stale Connection'\r\n".utf8)
                case 4: stream += Array("INFO {\"server_id\":\"a\"}\r\n".utf8)
                case 5: stream += Array("MSG a.b \(number) \(payload.count)\r\n".utf8) + payload + ending
                default:
                    let sizes = "\(headers.count) \(headers.count + payload.count)"
                    stream += Array("HMSG a.b \(number)  reply \(sizes)\r\n".utf8) + headers + payload + ending
                }
            }
            return stream
        }

        @Test("Every split of a stream gives the same operations", arguments: 0..<100)
        func splits(seed: Int) {
            var random = SplitMix64(seed: UInt64(seed))
            var stream = stream(&random)
            // A part of the streams is spoiled.
            if seed % 3 == 0, let index = stream.indices.randomElement(using: &random) {
                stream[index] = UInt8.random(in: 0...255, using: &random)
            }
            let whole = parse(stream, sizes: [])
            #expect(parse(stream, sizes: stream.map { _ in 1 }) == whole)
            for _ in 0..<10 {
                let sizes = stream.map { _ in Int.random(in: 1...7, using: &random) }
                #expect(parse(stream, sizes: sizes) == whole)
            }
        }

        @Test(
            "A malformed line is an error",
            arguments: [
                "HELLO\r\n", "\r\n", "MSG a 1\r\n", "MSG a x 1\r\n", "MSG a 1 -1\r\n", "MSG a 1 r 2 3\r\n",
                "MSG a -1 2\r\n", "MSG a -0 2\r\n",
                "HMSG a 1 3 2\r\n", "HMSG a 1 2\r\n", "MSG a 1 1\r\nxy\r\n", "MSG a 1 67108865\r\n",
                "MSG a 1 99999999999999999999\r\n", "\u{0}\r\n",
            ]
        )
        func malformed(_ line: String) { #expect(parse(Array(line.utf8), sizes: []) == ["malformed"]) }

        @Test("A line without an end is refused beyond its limit, and a long body is not")
        func limits() throws {
            var parser = ServerParser()
            let part = Bytes([UInt8](repeating: UInt8(ascii: "x"), count: 1 << 16))
            for _ in 0..<ServerParser.longestLine >> 16 {
                parser.add(part)
                #expect(try parser.next() == nil)
            }
            parser.add(part)
            #expect(throws: NATSError.self) { try parser.next() }
            var other = ServerParser()
            other.add(Bytes("MSG a 1 \(ServerParser.longestLine * 2)\r\n"))
            #expect(try other.next() == nil)
            for _ in 0..<ServerParser.longestLine >> 15 {
                other.add(part)
                #expect(try other.next() == nil)
            }
            other.add("\r\n")
            guard case .message(1, let delivery) = try other.next() else {
                Issue.record("no message")
                return
            }
            #expect(delivery.payload.count == ServerParser.longestLine * 2)
        }

        @Test("The client keeps to its own limit if the server's is higher, and to a lower one of the server")
        func payloadLimit() throws {
            #expect(try ServerInfo(#"{"max_payload":104857600}"#).maximumPayload == ServerParser.largestMessage)
            #expect(try ServerInfo(#"{"max_payload":100}"#).maximumPayload == 100)
        }

        @Test("A message has a limited number of headers")
        func manyHeaders() {
            for (count, isRead) in [(HeaderBlock.mostFields, true), (HeaderBlock.mostFields + 1, false)] {
                let fields = String(repeating: "a:\r\n", count: count)
                #expect((HeaderBlock.headers(of: Bytes("NATS/1.0\r\n\(fields)\r\n")) != nil) == isRead)
            }
        }

        @Test(
            "Headers are parsed, and malformed ones are refused",
            arguments: [
                ("", "[]"), ("NATS/1.0\r\n\r\n", "[]"), ("NATS/1.0\r\nA: b\r\nA:c\r\n\r\n", "[A=b, A=c]"),
                ("NATS/1.0 503\r\n\r\n", "[Status=503]"),
                ("NATS/1.0 408 Request Timeout\r\nX:  y \r\n\r\n", "[Status=408, Description=Request Timeout, X=y]"),
                ("NATS/1.0\r\nA: \r\n\r\n", "[A=]"), ("NATS/1.0\r\nA\r\n\r\n", "nil"),
                ("NATS/1.0\r\n: b\r\n\r\n", "nil"),
                ("NATS/2\r\n\r\n", "nil"), ("NATS/1.0\r\nA: b\r\n", "nil"), ("x", "nil"),
            ]
        )
        func headers(_ block: String, _ expected: String) {
            let headers = HeaderBlock.headers(of: Bytes(block))
            #expect(
                headers.map { "[\($0.fields.map { "\($0.name)=\($0.value)" }.joined(separator: ", "))]" } ?? "nil"
                    == expected
            )
        }

        @Test(
            "The address of a server is read",
            arguments: [
                ("nats://host", "host 4222 false -"), ("TLS://host:1", "host 1 true -"), ("host:5", "host 5 false -"),
                ("nats://u:p%40@h:2/x", "h 2 false user(\"u\", password: \"p@\")"),
                ("nats://tok@[::1]:3", "::1 3 false token(\"tok\")"), ("[::1]", "::1 4222 false -"),
                ("http://h", "invalid address"), ("nats://", "invalid address"), ("nats://h:0", "invalid address"),
                ("nats://h:65536", "invalid address"), ("nats://[::1%none]:1", "invalid address"),
                ("nats://[h]", "invalid address"), ("nats://a b", "invalid address"),
                ("nats://%zz@h", "invalid address"),
                ("nats://%4@h", "invalid address"), ("nats://[::1]1", "invalid address"),
                ("nats://bob:p@ss/w@h", "invalid address"), ("bob:s3://cret@h", "invalid address"),
                ("nats://@h", "h 4222 false -"), ("nats://a\u{7f}", "invalid address"),
            ]
        )
        func addresses(_ text: String, _ expected: String) {
            do throws(NATSError) {
                let address = try ServerAddress(text)
                let credentials = address.credentials.map { "\($0)" } ?? "-"
                let again = try ServerAddress(address.shown)
                #expect(again.shown == address.shown && again.credentials == nil)
                #expect("\(address.host) \(address.port) \(address.isSecure) \(credentials)" == expected)
            } catch {
                #expect("\(error.code)" == expected)
                #expect(!error.message.contains("p%40"))
            }
        }
    }
#endif
