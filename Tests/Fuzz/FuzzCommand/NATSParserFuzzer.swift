// SPDX-License-Identifier: MIT
#if NATS
    import FuzzSupport
    import ReactiveSockets
    import ReactiveSupport

    @testable import ReactiveNATS

    /// Compares the parser of a server's stream with a second one, which has the whole stream and reads it word by word.
    enum NATSParserFuzzer {
        static let fuzzer = Fuzzer("nats-parser", make: NATSServerFuzzer.make) { input, random in
            let expected = reference(input)
            let parsed = operations(input.chunks(cutAt: random.cuts(of: input.count)))
            return parsed == expected ? nil : "parsed \(parsed), the reference \(expected)"
        }

        /// What the parser of the client makes of a stream that arrives in chunks.
        private static func operations(_ chunks: [[UInt8]]) -> [String] {
            var parser = ServerParser()
            var found: [String] = []
            for chunk in chunks {
                parser.add(Bytes(chunk))
                do throws(NATSError) {
                    while let operation = try parser.next() { found.append(text(of: operation)) }
                } catch {
                    return found + ["\(error.code)"]
                }
            }
            return found
        }

        private static func text(of operation: ServerOperation) -> String {
            switch operation {
            case .info(let text): "info \(Array(text))"
            case .ping: "PING"
            case .pong: "PONG"
            case .ok: "+OK"
            case .error(let text): "error \(text)"
            case .message(let number, let it):
                "message \(number) \(it.subject) \(it.reply ?? "-") \(Array(it.headers)) \(Array(it.payload))"
            }
        }

        // MARK: The reference

        private static func reference(_ stream: [UInt8]) -> [String] {
            var (rest, found) = (stream[...], [String]())
            while let newline = rest.firstIndex(of: 10) {
                var line = rest[..<newline]
                rest = rest[(newline + 1)...]
                if line.last == 13 { line = line.dropLast() }
                let words = line.split { isBlank($0) }
                let verb = line.first.map { isBlank($0) } == false ? capitals(words[0]) : ""
                let arguments = trimmed(line.dropFirst(verb.utf8.count))
                switch verb {
                case "PING", "PONG", "+OK": found.append(verb)
                case "INFO": found.append("info \(Array(arguments))")
                case "-ERR":
                    let isQuoted = arguments.count > 1 && arguments.first == 39 && arguments.last == 39
                    let text = isQuoted ? arguments.dropFirst().dropLast() : arguments
                    found.append("error \(String(decoding: text, as: UTF8.self))")
                case "MSG", "HMSG":
                    guard let message = Message(words.map { Array($0) }, hasHeaders: verb == "HMSG") else {
                        return found + ["malformed"]
                    }
                    if rest.count < message.size + 2 { return found }
                    let bytes = Array(rest.prefix(message.size + 2))
                    rest = rest.dropFirst(message.size + 2)
                    if !bytes.suffix(2).elementsEqual([13, 10]) { return found + ["malformed"] }
                    let headers = Array(bytes.prefix(message.headerSize))
                    let payload = Array(bytes.dropFirst(message.headerSize).dropLast(2))
                    found.append("message \(message.number) \(message.subject) \(message.reply) \(headers) \(payload)")
                default: return found + ["malformed"]
                }
            }
            return found
        }

        /// The words of a line that begins a message.
        private struct Message {
            let subject: String
            let reply: String
            let number: Int
            let headerSize: Int
            let size: Int

            init?(_ words: [[UInt8]], hasHeaders: Bool) {
                let fewest = hasHeaders ? 5 : 4
                guard (fewest...fewest + 1).contains(words.count), let number = Self.number(words[2]),
                    let size = Self.number(words[words.count - 1]), size <= ServerParser.largestMessage,
                    let headerSize = hasHeaders ? Self.number(words[words.count - 2]) : 0, headerSize <= size
                else { return nil }
                (self.number, self.size, self.headerSize) = (number, size, headerSize)
                subject = String(decoding: words[1], as: UTF8.self)
                reply = words.count > fewest ? String(decoding: words[3], as: UTF8.self) : "-"
            }

            private static func number(_ word: [UInt8]) -> Int? {
                word.allSatisfy { (48...57).contains($0) } ? Int(String(decoding: word, as: UTF8.self)) : nil
            }
        }

        private static func isBlank(_ byte: UInt8) -> Bool { byte == 32 || byte == 9 }

        private static func capitals(_ word: ArraySlice<UInt8>) -> String {
            String(decoding: word.map { (97...122).contains($0) ? $0 - 32 : $0 }, as: UTF8.self)
        }

        private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
            var bytes = bytes
            while let first = bytes.first, isSpace(first) { bytes.removeFirst() }
            while let last = bytes.last, isSpace(last) { bytes.removeLast() }
            return bytes
        }

        private static func isSpace(_ byte: UInt8) -> Bool { [9, 10, 13, 32].contains(byte) }
    }
#endif
