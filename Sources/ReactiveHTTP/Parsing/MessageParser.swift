// SPDX-License-Identifier: MIT
#if HTTP
    import HTTPTypes
    import ReactiveSockets

    /// Parses HTTP/1.1 messages, strictly by RFC 9112.
    ///
    /// Feed it with chunks of any size, and take events until there is none. The events depend only on the bytes, and not
    /// on the chunks. It reads no further than the last event that it has returned, so a server can finish a response
    /// before it takes the next request.
    ///
    /// Lines are parsed where they lie in the received memory. Only a line that several chunks share is copied.
    struct MessageParser {
        /// The kind of message that the parser expects.
        enum Role: Sendable, Hashable {
            /// Requests to a server. `scheme` becomes that of requests in origin form.
            case requests(scheme: String)
            /// Responses to a client. ``MessageParser/requestMethod`` is the method of the request.
            case responses
        }

        /// What the next byte belongs to.
        enum State {
            /// The first line of a message, or an empty line before it.
            case startLine(afterEmptyLine: Bool)
            case fields
            case headComplete
            case body(remaining: Int)
            case chunkSize
            case chunk(remaining: Int)
            /// The CRLF after the data of a chunk.
            case chunkEnd(hasCarriageReturn: Bool)
            case trailers
            case untilClose
            case messageComplete
            /// Another protocol.
            case tunnel
            case failed
            /// The stream has ended.
            case ended

            /// Whether the parser reads whole lines now.
            var readsLines: Bool {
                switch self {
                case .startLine, .fields, .chunkSize, .trailers: true
                default: false
                }
            }
        }

        let role: Role
        let limits: HTTPLimits
        /// The method of the request whose response comes next. A client sets it before each response.
        var requestMethod = HTTPRequest.Method.get
        let knownFields = KnownFields.shared
        var state = State.startLine(afterEmptyLine: false)
        /// The head that is being read.
        var head = PartialHead()
        /// The fields of the head or the trailer that is being read.
        var fields = HTTPFields()
        var fieldCount = 0
        var fieldBytes = 0
        /// The bytes of chunk extensions and of the body so far.
        var extensionBytes = 0
        var bodyBytes = 0
        /// Received bytes that have not been read.
        private var input = Bytes()
        /// The beginning of a line whose end has not arrived.
        private var partialLine: [UInt8] = []
        private var failure: HTTPError?

        init(_ role: Role, limits: HTTPLimits = HTTPLimits()) {
            self.role = role
            self.limits = limits
        }

        /// Appends received bytes. The parser shares their memory until it has read them.
        mutating func feed(_ bytes: Bytes) {
            input = input.isEmpty ? bytes : Bytes(joining: [input, bytes])
        }

        /// Returns the next event, or `nil` if more bytes are needed.
        ///
        /// - Throws: `malformed`, `targetTooLong`, `fieldsTooLarge`, `contentTooLarge`, `notImplemented` or
        ///   `versionNotSupported`. The connection cannot continue after an error: each later call throws it again.
        mutating func next() throws(HTTPError) -> ParserEvent? {
            if let failure { throw failure }
            do throws(HTTPError) {
                return try nextEvent()
            } catch {
                fail(error)
                throw error
            }
        }

        private mutating func nextEvent() throws(HTTPError) -> ParserEvent? {
            while true {
                switch state {
                case .startLine, .fields, .chunkSize, .trailers:
                    if input.isEmpty { return nil }
                    try readLines()
                    if state.readsLines { return nil }
                case .headComplete:
                    return try completeHead()
                case .body(let remaining):
                    if remaining == 0 {
                        state = .messageComplete
                    } else {
                        guard let bytes = take(remaining) else { return nil }
                        state = .body(remaining: remaining - bytes.count)
                        return .body(bytes)
                    }
                case .chunk(let remaining):
                    guard let bytes = take(remaining) else { return nil }
                    let rest = remaining - bytes.count
                    state = rest == 0 ? .chunkEnd(hasCarriageReturn: false) : .chunk(remaining: rest)
                    return .body(bytes)
                case .chunkEnd(let hasCarriageReturn):
                    guard let byte = take(1)?.first else { return nil }
                    try readChunkEnd(byte, hasCarriageReturn)
                case .untilClose:
                    guard let bytes = take(.max) else { return nil }
                    try countBody(bytes.count)
                    return .body(bytes)
                case .messageComplete:
                    return endMessage()
                case .tunnel, .failed, .ended:
                    return nil
                }
            }
        }

        private mutating func fail(_ error: HTTPError) {
            failure = error
            state = .failed
            input = Bytes()
            partialLine = []
            fields = HTTPFields()
        }

        /// Whether a message has begun and its end has not been returned. An empty line before a request does not count.
        var isInsideMessage: Bool {
            switch state {
            case .startLine: isInsideHead
            case .tunnel, .failed, .ended: false
            default: true
            }
        }

        /// Whether some bytes of a head have arrived, and not all. The time limit of the head then runs.
        var isInsideHead: Bool {
            switch state {
            case .startLine: !partialLine.isEmpty && partialLine != [ASCII.carriageReturn]
            case .fields: true
            default: false
            }
        }

        /// The number of bytes that have been fed and not read.
        var unreadCount: Int { input.count }

        /// Notifies the parser of the end of the stream, after all events have been taken.
        ///
        /// - Returns: The end of a body that lasts until the end of the stream. `nil` between messages.
        /// - Throws: `incomplete` inside a message.
        mutating func finish() throws(HTTPError) -> ParserEvent? {
            if let failure { throw failure }
            if case .untilClose = state {
                state = .ended
                return .end(nil)
            }
            guard isInsideMessage else {
                state = .ended
                return nil
            }
            let error = HTTPError(.incomplete, "the peer ended its stream inside a message")
            fail(error)
            throw error
        }

        /// Removes and returns the bytes after the last event, for the protocol of an upgraded connection.
        mutating func takeRest() -> Bytes {
            defer {
                input = Bytes()
                partialLine = []
            }
            return partialLine.isEmpty ? input : Bytes(joining: [Bytes(partialLine), input])
        }

        // MARK: Bytes

        /// Removes at most `limit` bytes. `nil` if there are none.
        private mutating func take(_ limit: Int) -> Bytes? {
            if input.isEmpty { return nil }
            let bytes = input.prefix(limit)
            input = input.count > limit ? input[bytes.endIndex...] : Bytes()
            return bytes
        }

        /// Reads lines until the state expects no line or no complete line is left.
        ///
        /// Safe: the text is used during the closure.
        private mutating func readLines() throws(HTTPError) {
            while state.readsLines, !input.isEmpty {
                if partialLine.isEmpty {
                    let bytes = input
                    let read = try unsafe bytes.withUnsafeBytes { (memory) throws(HTTPError) -> Int in
                        try unsafe readLines(ByteText(memory))
                    }
                    if state.readsLines {
                        partialLine.append(contentsOf: bytes.dropFirst(read))
                        input = Bytes()
                    } else {
                        input = read == bytes.count ? Bytes() : bytes[(bytes.startIndex + read)...]
                    }
                } else {
                    try finishPartialLine()
                }
            }
        }

        /// Returns the offset after the last line that it has read.
        private mutating func readLines(_ text: ByteText) throws(HTTPError) -> Int {
            var offset = 0
            while offset < text.count, state.readsLines {
                guard let next = try readLine(text, at: offset) else {
                    try checkIncompleteLine(text, at: offset)
                    break
                }
                offset = next
            }
            return offset
        }

        /// Appends the input to the partial line, up to the line's end, and reads the line if it is complete then.
        ///
        /// Safe: each text is used during its closure.
        private mutating func finishPartialLine() throws(HTTPError) {
            let lineFeed = unsafe input.withUnsafeBytes { unsafe ByteText($0).firstLineFeed(from: 0) }
            let count = lineFeed.map { $0 + 1 } ?? input.count
            partialLine.append(contentsOf: input.prefix(count))
            input = input.count > count ? input.dropFirst(count) : Bytes()
            var line = partialLine
            // Not copied while it is read, and its memory is kept for the next partial line.
            partialLine = []
            let read = try unsafe line.withUnsafeBufferPointer { (memory) throws(HTTPError) -> Bool in
                let text = unsafe ByteText(UnsafeRawBufferPointer(memory))
                if lineFeed != nil { return try readLine(text, at: 0) != nil }
                try checkIncompleteLine(text, at: 0)
                return false
            }
            if read { line.removeAll(keepingCapacity: line.capacity <= 4096) }
            partialLine = line
        }

        /// Reads the line that begins at an offset. Returns the offset after it, or `nil` if it is not complete.
        ///
        /// The result is the same in whatever state the rest of the message is: a line is parsed when its line feed has
        /// arrived. Only the limits, and the first bytes of a message, are checked earlier.
        @inline(__always)
        private mutating func readLine(_ text: ByteText, at offset: Int) throws(HTTPError) -> Int? {
            switch state {
            case .fields, .trailers: try readField(text, at: offset)
            case .startLine: try readStartLine(text, at: offset)
            default: try readChunkSize(text, at: offset)
            }
        }

        private func checkIncompleteLine(_ text: ByteText, at offset: Int) throws(HTTPError) {
            switch state {
            case .fields, .trailers: try checkIncompleteField(text, at: offset)
            case .startLine: try checkIncompleteStartLine(text, at: offset)
            default: try checkIncompleteChunkSize(text, at: offset)
            }
        }
    }
#endif
