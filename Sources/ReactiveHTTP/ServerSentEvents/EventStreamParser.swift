// SPDX-License-Identifier: MIT
#if HTTP
    public import ReactiveSockets

    /// Reads an event stream (HTML Standard, section 9.2.6). It is a value without a socket.
    ///
    /// ```swift
    /// var parser = EventStreamParser()
    /// parser.feed("data: hello\n\n")
    /// while let event = try parser.next() { events.append(event.data) }
    /// ```
    ///
    /// Every split of the same bytes gives the same events. Lines end with LF, CR or CR LF. A byte order mark at the beginning
    /// is ignored, and invalid UTF-8 is replaced. An event that is not complete at the end of the stream is dropped.
    public struct EventStreamParser: Sendable {
        /// The last identifier of the stream so far. A client that reconnects sends it in the field `Last-Event-ID`.
        ///
        /// An identifier counts from the empty line that ends its event. So a client that reconnects inside an event
        /// receives that event again.
        public private(set) var lastEventID = ""
        /// The time before a reconnection, as the stream has last set it. `nil` means that it has not.
        public private(set) var reconnectionTime: Duration?

        private let limits: EventStreamLimits
        /// The bytes that have not been read.
        private var chunk = Bytes()
        /// The beginning of a line whose end has not arrived.
        private var partial: [UInt8] = []
        private var isFirstLine = true
        /// Whether a line feed at the beginning of the chunk belongs to the last line end.
        private var skipsLineFeed = false
        private var failure: HTTPError?

        // The event so far.
        private var data = ""
        private var dataBytes = 0
        private var hasData = false
        private var event = ""
        /// The last identifier that was read. It stays the same over events without one.
        private var readID = ""
        private var retry: Duration?

        /// Creates a parser at the beginning of a stream.
        ///
        /// - Parameter limits: The limits of lines and events.
        public init(limits: EventStreamLimits = EventStreamLimits()) {
            self.limits = limits
        }

        /// Creates a parser that continues a stream. An event without an identifier keeps `lastEventID`.
        init(limits: EventStreamLimits, lastEventID: String) {
            self.limits = limits
            self.lastEventID = lastEventID
            readID = lastEventID
        }

        /// Adds bytes of the stream. Call ``next()`` until it returns `nil` before you add more. Otherwise the rest of the
        /// bytes before is copied.
        ///
        /// - Parameter bytes: The next bytes.
        public mutating func feed(_ bytes: Bytes) {
            chunk = chunk.isEmpty ? bytes : Bytes(joining: [chunk, bytes])
        }

        /// Returns the next complete event.
        ///
        /// - Returns: The event. `nil` means that more bytes are necessary.
        /// - Throws: `contentTooLarge` if a line or an event exceeds its limit. Later calls throw it again.
        public mutating func next() throws(HTTPError) -> ServerSentEvent? {
            if let failure { throw failure }
            do throws(HTTPError) {
                while let line = try takeLine() {
                    if let event = try read(line) { return event }
                }
                return nil
            } catch {
                failure = error
                (chunk, partial, data) = (Bytes(), [], "")
                throw error
            }
        }

        /// Feeds a chunk, and passes each event that ends in it to `receive`. Returns the error of ``next()``, or `nil`.
        mutating func readEvents(of bytes: Bytes, _ receive: (ServerSentEvent) -> Void) -> HTTPError? {
            feed(bytes)
            do throws(HTTPError) {
                while let event = try next() { receive(event) }
                return nil
            } catch {
                return error
            }
        }

        /// Takes the next line without its end. Returns `nil` if its end has not arrived.
        private mutating func takeLine() throws(HTTPError) -> [UInt8]? {
            if skipsLineFeed, let first = chunk.first {
                skipsLineFeed = false
                if first == ASCII.lineFeed { chunk = chunk.dropFirst() }
            }
            let end = chunk.firstIndex { $0 == ASCII.lineFeed || $0 == ASCII.carriageReturn }
            let part = chunk[chunk.startIndex..<(end ?? chunk.endIndex)]
            guard partial.count + part.count <= limits.lineBytes else {
                throw HTTPError(.contentTooLarge, "a line of an event stream has more than \(limits.lineBytes) bytes")
            }
            partial += part
            guard let end else {
                chunk = Bytes()
                return nil
            }
            skipsLineFeed = chunk[end] == ASCII.carriageReturn
            chunk = chunk[(end + 1)...]
            defer { partial.removeAll(keepingCapacity: partial.count <= 1024) }
            return partial
        }

        private mutating func read(_ line: [UInt8]) throws(HTTPError) -> ServerSentEvent? {
            var line = line[...]
            if isFirstLine {
                isFirstLine = false
                if line.starts(with: Self.byteOrderMark) { line = line.dropFirst(Self.byteOrderMark.count) }
            }
            guard let first = line.first else { return dispatch() }
            // A comment.
            if first == ASCII.colon { return nil }
            let colon = line.firstIndex(of: ASCII.colon) ?? line.endIndex
            var value = line[colon...].dropFirst()
            if value.first == ASCII.space { value = value.dropFirst() }
            let text = String(decoding: value, as: UTF8.self)
            switch String(decoding: line[..<colon], as: UTF8.self) {
            case "data": try append(text)
            case "event": event = text
            case "id" where !value.contains(0): readID = text
            case "retry" where !value.isEmpty && value.allSatisfy(ASCII.isDigit):
                // A number that does not fit is ignored.
                guard let milliseconds = Int64(text) else { break }
                retry = .milliseconds(milliseconds)
                reconnectionTime = retry
            default: break
            }
            return nil
        }

        private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

        private mutating func append(_ text: String) throws(HTTPError) {
            dataBytes += text.utf8.count + 1
            guard dataBytes <= limits.eventBytes else {
                throw HTTPError(.contentTooLarge, "an event has more than \(limits.eventBytes) bytes of data")
            }
            if hasData { data += "\n" }
            hasData = true
            data += text
        }

        /// Ends an event. Without data there is none.
        private mutating func dispatch() -> ServerSentEvent? {
            defer { (data, dataBytes, hasData, event, retry) = ("", 0, false, "", nil) }
            lastEventID = readID
            guard hasData else { return nil }
            return ServerSentEvent(
                data,
                event: event.isEmpty ? nil : event,
                id: lastEventID.isEmpty ? nil : lastEventID,
                retry: retry
            )
        }
    }
#endif
