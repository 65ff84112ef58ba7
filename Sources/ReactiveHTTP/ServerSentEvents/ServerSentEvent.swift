// SPDX-License-Identifier: MIT
#if HTTP
    public import HTTPTypes
    public import ReactiveSockets

    /// An event of a server-sent event stream (HTML Standard, section 9.2).
    public struct ServerSentEvent: Sendable, Hashable {
        /// The text. It may have several lines. The browser receives a CR LF or a CR as a line feed.
        public var data: String
        /// The name for which a page listens. `nil` means `message`. An empty name counts as `nil`.
        ///
        /// CR, LF and NUL cannot be sent. Spaces replace them.
        public var event: String?
        /// An identifier of the position in the stream. A browser that reconnects sends the last one in the field
        /// `Last-Event-ID`.
        ///
        /// An empty text resets it. `nil` leaves the last one unchanged. A received event has the last identifier of the
        /// stream so far. CR, LF and NUL cannot be sent. Spaces replace them.
        public var id: String?
        /// How long a browser waits before it reconnects, in whole milliseconds. `nil` leaves the time unchanged. A
        /// duration below zero counts as zero.
        public var retry: Duration?

        /// Creates an event.
        ///
        /// - Parameters:
        ///   - data: The text.
        ///   - event: The name. `nil` means `message`.
        ///   - id: The identifier of the position in the stream. `nil` leaves the last one unchanged.
        ///   - retry: The time before a browser reconnects. `nil` leaves it unchanged.
        public init(_ data: String, event: String? = nil, id: String? = nil, retry: Duration? = nil) {
            self.data = data
            self.event = event
            self.id = id
            self.retry = retry
        }

        /// The event as it is sent.
        public var encoded: Bytes {
            var text: [UInt8] = []
            text.reserveCapacity(data.utf8.count + 64)
            if let event, !event.isEmpty { text += "event: \(Self.oneLine(event))\n".utf8 }
            if let id { text += (id.isEmpty ? "id\n" : "id: \(Self.oneLine(id))\n").utf8 }
            if let retry { text += "retry: \(Self.milliseconds(retry))\n".utf8 }
            text += "data: ".utf8
            var endsWithReturn = false
            for byte in data.utf8 {
                if byte == ASCII.lineFeed || byte == ASCII.carriageReturn {
                    // A CR LF is one line end.
                    if byte == ASCII.carriageReturn || !endsWithReturn { text += "\ndata: ".utf8 }
                } else {
                    text.append(byte)
                }
                endsWithReturn = byte == ASCII.carriageReturn
            }
            text += "\n\n".utf8
            return Bytes(text)
        }

        private static func oneLine(_ text: String) -> String {
            let isPlain = text.utf8.allSatisfy { $0 != ASCII.lineFeed && $0 != ASCII.carriageReturn && $0 != 0 }
            if isPlain { return text }
            return String(
                String.UnicodeScalarView(text.unicodeScalars.map { "\r\n\0".unicodeScalars.contains($0) ? " " : $0 })
            )
        }

        private static func milliseconds(_ duration: Duration) -> Int64 {
            let (seconds, attoseconds) = duration.components
            // The smallest durations do not fit in milliseconds.
            if seconds < 0 { return 0 }
            // A longer time than a browser's timer has.
            if seconds > 1_000_000_000 { return 1_000_000_000_000 }
            return max(0, seconds * 1000 + attoseconds / 1_000_000_000_000_000)
        }
    }

    extension HTTPMessage<HTTPRequest> {
        /// The identifier of the last event that a browser received before it reconnected. `nil` if there is none.
        public var lastEventID: String? {
            HTTPField.Name("Last-Event-ID").flatMap { name in head.headerFields[name] }
        }
    }
#endif
