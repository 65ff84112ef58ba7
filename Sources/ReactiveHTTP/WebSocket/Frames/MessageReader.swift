// SPDX-License-Identifier: MIT
#if HTTP
    import ReactiveSockets

    /// What a peer has sent on a WebSocket.
    enum ReaderEvent: Sendable, Equatable {
        case fragment(WebSocketFragment)
        case ping(Bytes)
        case pong(Bytes)
        /// The last event.
        case close(WebSocketClose)
    }

    /// Turns received bytes into fragments of messages and control frames: it decodes frames, decompresses, validates
    /// text, and enforces the limits.
    ///
    /// Feed it with chunks of any size, and take events until there is none. It decompresses no further than the last
    /// event that it has returned, so a message that grows a thousandfold costs one buffer at a time.
    struct MessageReader {
        private var decoder: FrameDecoder
        /// The maximum size of a message after decompression.
        private let messageLimit: Int
        /// What has been negotiated for the messages of the peer. `nil` means that they are not compressed.
        private let compression: DeflateParameters?
        private var inflater: Inflater?
        private var message: Message?
        private var progress = Progress.open

        private enum Progress {
            case open
            /// A Close frame has arrived.
            case closed
            // Indirect, because an idle WebSocket has room for each case.
            indirect case failed(WebSocketError)
        }

        /// A message of which a part has arrived.
        private struct Message {
            let kind: WebSocketFragment.Kind
            let isCompressed: Bool
            var count = 0
            var isFirst = true
            var text = UTF8Validator()
            /// Whether the last frame has been read, and the decompressor has received the tail.
            var hasTail = false
        }

        init(expectsMask: Bool, frameLimit: Int?, messageLimit: Int?, compression: DeflateParameters? = nil) {
            decoder = FrameDecoder(
                expectsMask: expectsMask,
                allowsCompression: compression != nil,
                frameLimit: frameLimit
            )
            self.messageLimit = messageLimit ?? .max
            self.compression = compression
        }

        mutating func feed(_ bytes: Bytes) {
            if case .open = progress { decoder.feed(bytes) }
        }

        /// The number of bytes that have been fed and not read.
        var unreadCount: Int { decoder.unreadCount }

        /// Returns the next event, or `nil` if more bytes are needed.
        ///
        /// - Throws: `protocolViolation`, `invalidText` or `messageTooLarge`. Each later call throws the error again.
        mutating func next() throws(WebSocketError) -> ReaderEvent? {
            switch progress {
            case .open: break
            case .closed: return nil
            case .failed(let failure): throw failure
            }
            do throws(WebSocketError) {
                return try nextEvent()
            } catch {
                progress = .failed(error)
                decoder.clear()
                inflater = nil
                message = nil
                throw error
            }
        }

        private mutating func nextEvent() throws(WebSocketError) -> ReaderEvent? {
            while true {
                if message?.isCompressed == true, let fragment = try decompressed() { return .fragment(fragment) }
                guard let part = try decoder.next() else { return nil }
                switch part.header.opcode {
                case .ping: return .ping(part.payload)
                case .pong: return .pong(part.payload)
                case .close:
                    let close = try WebSocketClose(payload: part.payload)
                    progress = .closed
                    decoder.clear()
                    return .close(close)
                case .text: begin(.text, part.header, part.isFirst)
                case .binary: begin(.binary, part.header, part.isFirst)
                case .continuation: break
                }
                if let fragment = try take(part) { return .fragment(fragment) }
            }
        }

        private mutating func begin(_ kind: WebSocketFragment.Kind, _ header: FrameHeader, _ isFirst: Bool) {
            if isFirst { message = Message(kind: kind, isCompressed: header.isCompressed) }
        }

        private mutating func take(_ part: FrameDecoder.Part) throws(WebSocketError) -> WebSocketFragment? {
            guard let message else { return nil }
            let endsMessage = part.isLast && part.header.isFinal
            if message.isCompressed {
                if inflater == nil { inflater = Inflater(windowBits: compression?.windowBits ?? 15) }
                if endsMessage { self.message?.hasTail = true }
                // The tail is joined to the last payload, because the decompressor takes one input at a time.
                inflater?.add(endsMessage ? Bytes(joining: [part.payload, Self.tail]) : part.payload)
                return nil
            }
            // The announced length suffices to refuse the frame.
            let announced = part.isFirst ? part.header.length : part.payload.count
            try check(message.count, adding: announced)
            if part.payload.isEmpty, !endsMessage { return nil }
            return try fragment(part.payload, isLast: endsMessage)
        }

        /// The end of each compressed message, which the peer leaves out (RFC 7692 section 7.2.2).
        private static let tail: Bytes = [0x00, 0x00, 0xFF, 0xFF]

        private mutating func decompressed() throws(WebSocketError) -> WebSocketFragment? {
            guard let message else { return nil }
            guard let inflater else {
                throw WebSocketError(.messageTooLarge, "there is no memory to decompress a message")
            }
            if let bytes = try inflater.next() {
                try check(message.count, adding: bytes.count)
                return try fragment(bytes, isLast: false)
            }
            guard message.hasTail else { return nil }
            if compression?.keepsContext != true { self.inflater = nil }
            return try fragment(Bytes(), isLast: true)
        }

        private func check(_ count: Int, adding added: Int) throws(WebSocketError) {
            guard added > messageLimit - count else { return }
            throw WebSocketError(.messageTooLarge, "the peer sent a message of more than \(messageLimit) bytes")
        }

        /// Validates the next bytes of the message.
        ///
        /// Safe: the validator does not keep the pointer.
        private mutating func fragment(_ bytes: Bytes, isLast: Bool) throws(WebSocketError) -> WebSocketFragment {
            guard var current = message else { fatalError("there is no message") }
            current.count += bytes.count
            if current.kind == .text {
                let isValid = unsafe bytes.withUnsafeBytes { unsafe current.text.accepts($0) }
                guard isValid, !isLast || current.text.isAtBoundary else {
                    throw WebSocketError(.invalidText, "the peer sent a text message that is not UTF-8")
                }
            }
            let fragment = WebSocketFragment(current.kind, bytes, isFirst: current.isFirst, isLast: isLast)
            current.isFirst = false
            message = isLast ? nil : current
            return fragment
        }
    }
#endif
