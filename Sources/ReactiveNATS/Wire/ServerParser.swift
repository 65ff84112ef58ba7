// SPDX-License-Identifier: MIT
#if NATS
    import ReactiveSockets

    /// Parses the stream of a server, which may be split anywhere.
    ///
    /// Each limit bounds the memory that a server can make the client use: a line, and the size of a message.
    struct ServerParser {
        /// The maximum length of a line. Only `INFO` of a large cluster comes near.
        static let longestLine = 1 << 17
        /// The maximum size of a message, whatever the server announces. By default, a nats-server accepts 1 MiB.
        static let largestMessage = 64 << 20

        /// A message whose bytes have not all arrived.
        private struct Body {
            let subscription: Int
            let subject: String
            let reply: String?
            let headerSize: Int
            let size: Int
            /// The beginning of the message and of its line ending, as far as it arrived in earlier chunks.
            var bytes: [UInt8] = []
        }

        /// The bytes that have not been parsed.
        private var rest = Bytes()
        /// The beginning of a line that arrived in earlier chunks. It contains no line ending.
        private var line: [UInt8] = []
        private var body: Body?
        /// The subject of the last message. Most messages repeat it, and need no new string.
        private var lastSubject = (bytes: Bytes(), text: "")

        /// Adds the next chunk. ``next()`` must have returned `nil` for the chunk before.
        mutating func add(_ bytes: Bytes) {
            assert(rest.isEmpty, "every chunk is parsed before the next one")
            rest = bytes
        }

        /// The next operation, or `nil` if bytes are missing.
        ///
        /// - Throws: `malformed`. The connection cannot be used any longer.
        mutating func next() throws(NATSError) -> ServerOperation? {
            while true {
                if body != nil {
                    guard let operation = try takeMessage() else { return nil }
                    return operation
                }
                guard let line = try takeLine() else { return nil }
                if let operation = try operation(of: line) { return operation }
            }
        }

        // MARK: Lines

        /// Takes a line without its ending.
        private mutating func takeLine() throws(NATSError) -> Bytes? {
            guard let newline = rest.firstIndex(of: UInt8(ascii: "\n")) else {
                line += rest
                rest = Bytes()
                if line.count > Self.longestLine {
                    throw Self.malformed("a line has more than \(Self.longestLine) bytes")
                }
                return nil
            }
            var whole = rest[..<newline]
            rest = rest[(newline + 1)...]
            if !line.isEmpty {
                whole = Bytes(line + whole)
                line = []
            }
            if whole.last == UInt8(ascii: "\r") { whole = whole.dropLast() }
            return whole
        }

        /// The operation of a line, or `nil` if the line begins a message.
        private mutating func operation(of line: Bytes) throws(NATSError) -> ServerOperation? {
            let (verb, arguments) = Self.split(line)
            if verb.equalsIgnoringASCIICase("MSG") {
                try begin(Self.words(arguments), hasHeaders: false, line)
                return nil
            }
            if verb.equalsIgnoringASCIICase("HMSG") {
                try begin(Self.words(arguments), hasHeaders: true, line)
                return nil
            }
            if verb.equalsIgnoringASCIICase("PING") { return .ping }
            if verb.equalsIgnoringASCIICase("PONG") { return .pong }
            if verb.equalsIgnoringASCIICase("+OK") { return .ok }
            if verb.equalsIgnoringASCIICase("INFO") { return .info(arguments.trimmingASCIIWhitespace()) }
            if verb.equalsIgnoringASCIICase("-ERR") { return .error(Self.unquoted(arguments)) }
            throw Self.malformed("an unknown operation: \(Self.shown(line))")
        }

        /// Begins a message: `subject subscription [reply] [size of headers] size`.
        private mutating func begin(_ words: [Bytes], hasHeaders: Bool, _ line: Bytes) throws(NATSError) {
            let fewest = hasHeaders ? 4 : 3
            guard words.count == fewest || words.count == fewest + 1,
                let subscription = Self.number(words[1], atMost: Int.max),
                let size = Self.number(words[words.count - 1], atMost: Self.largestMessage),
                let headerSize = hasHeaders ? Self.number(words[words.count - 2], atMost: size) : 0
            else { throw Self.malformed("the line of a message: \(Self.shown(line))") }
            if lastSubject.bytes != words[0] { lastSubject = (Bytes(words[0]), String(words[0])) }
            body = Body(
                subscription: subscription,
                subject: lastSubject.text,
                reply: words.count > fewest ? String(words[2]) : nil,
                headerSize: headerSize,
                size: size
            )
        }

        /// The number that consists of these digits.
        private static func number(_ word: Bytes, atMost limit: Int) -> Int? {
            word.hasPrefix("-") ? nil : WireInteger(decimal: word)?.value(in: 0...limit)
        }

        // MARK: Messages

        /// Takes bytes for the message under way. Returns the message when it is complete.
        private mutating func takeMessage() throws(NATSError) -> ServerOperation? {
            guard var body = body.take() else { return nil }
            // Two bytes end the line.
            let part = rest.prefix(body.size + 2 - body.bytes.count)
            rest = rest[part.endIndex...]
            if body.bytes.isEmpty, part.count == body.size + 2 { return try operation(of: body, part) }
            body.bytes += part
            if body.bytes.count == body.size + 2 { return try operation(of: body, Bytes(body.bytes)) }
            self.body = body
            return nil
        }

        private func operation(of body: Body, _ all: Bytes) throws(NATSError) -> ServerOperation {
            let start = all.startIndex
            let (headerEnd, end) = (start + body.headerSize, start + body.size)
            guard all[end] == UInt8(ascii: "\r"), all[end + 1] == UInt8(ascii: "\n") else {
                throw Self.malformed("a message to \(body.subject) does not end after its \(body.size) bytes")
            }
            let delivery = Delivery(
                subject: body.subject,
                reply: body.reply,
                headers: all[start..<headerEnd],
                payload: all[headerEnd..<end].compacted()
            )
            return .message(subscription: body.subscription, delivery)
        }

        // MARK: Parts of lines

        private static func split(_ line: Bytes) -> (verb: Bytes, arguments: Bytes) {
            let end = line.firstIndex { isBlank($0) } ?? line.endIndex
            return (line[..<end], line[end...])
        }

        private static func words(_ arguments: Bytes) -> [Bytes] {
            arguments.split(maxSplits: 6, omittingEmptySubsequences: true) { isBlank($0) }
        }

        private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

        private static func unquoted(_ arguments: Bytes) -> String {
            let text = arguments.trimmingASCIIWhitespace()
            let isQuoted = text.count > 1 && text.first == UInt8(ascii: "'") && text.last == UInt8(ascii: "'")
            return String(isQuoted ? text.dropFirst().dropLast() : text)
        }

        private static func shown(_ line: Bytes) -> String { String(line.prefix(80)).debugDescription }

        private static func malformed(_ why: String) -> NATSError { NATSError(.malformed, "the server sends \(why)") }
    }
#endif
