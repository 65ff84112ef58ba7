// SPDX-License-Identifier: MIT
#if HTTP
    public import HTTPTypes
    public import ReactiveCore
    public import ReactiveSignals
    public import ReactiveSockets
    import ReactiveSupport

    /// The content of a message: stored bytes, a signal of bytes, or what a peer sends.
    ///
    /// A received body, and a body made of a signal, is consumed by its one subscriber. Stored bytes may be subscribed
    /// to any number of times.
    public struct HTTPBody: Sendable {
        enum Content: Sendable {
            case stored(Bytes)
            case source(BodySource)
            case received(UnsafeTransfer<ReceivedBody>)
            /// Ranges of a file.
            case file(FileContent)
            /// The text of a response that says that this side has failed, or the error of a request that cannot be sent.
            case failed(FailedContent)
            /// The bytes of another protocol, which takes over the connection.
            case upgrade(HTTPUpgrade.Start)
            /// The bytes of another protocol, for a client whose request has upgraded the connection.
            case upgraded(HTTPUpgrade)
        }

        let content: Content

        init(_ content: Content) {
            self.content = content
        }

        /// A body without content.
        public static let empty = HTTPBody(Bytes())

        /// Creates a body of stored bytes.
        ///
        /// - Parameter bytes: The content.
        public init(_ bytes: Bytes) {
            self.init(.stored(bytes))
        }

        /// Creates a body whose bytes a source sends while the message is being sent.
        ///
        /// The connection subscribes once, and pauses the source while its peer accepts no more bytes. If the source
        /// fails, or sends another number of bytes than `length`, the connection is reset, so that the peer notices that
        /// the message is incomplete.
        ///
        /// - Parameters:
        ///   - source: The bytes.
        ///   - length: The number of bytes. A negative number counts as 0. `nil` means unknown: the message is sent in
        ///     chunks, or to a peer of HTTP/1.0 until the end of the connection.
        ///   - trailers: Returns the trailer fields when `source` has completed, on the loop of the connection. They
        ///     are sent only if the message is sent in chunks.
        public init<Source: SignalSource & Sendable>(
            _ source: Source,
            length: Int? = nil,
            trailers: (@Sendable () -> HTTPFields?)? = nil
        ) where Source.Value == Bytes {
            self.init(source, length: length, trailers: trailers, isEndless: false)
        }

        /// - Parameter isEndless: Whether the body has no end of its own. The drain of a server completes it, and it ends with
        ///   the client's stream.
        init<Source: SignalSource & Sendable>(
            _ source: Source,
            length: Int? = nil,
            trailers: (@Sendable () -> HTTPFields?)? = nil,
            isEndless: Bool
        ) where Source.Value == Bytes {
            let signal = Signal(source).mapError { error in
                error as? HTTPError
                    ?? HTTPError(.sourceFailed, "the source of a body failed: \(error)", cause: error)
            }
            let body = BodySource(signal: signal, length: length, trailers: trailers, isEndless: isEndless)
            self.init(.source(body))
        }

        /// The number of bytes, if it is known before the end: of stored bytes, as declared, or from `Content-Length`.
        public var length: Int? {
            switch content {
            case .stored(let bytes): bytes.count
            case .source(let source): source.length
            case .received(let received): received.value.length
            case .file(let content): content.length
            case .failed(let content): content.text.count
            case .upgrade, .upgraded: nil
            }
        }

        /// The bytes, in chunks of at least one byte. Completes at the end of the body.
        ///
        /// A pause of the subscription pauses the source, which for a received body is the peer's socket. The signal of a
        /// received body allows one subscriber. It fails with:
        ///
        /// - `alreadyReceiving` if it has or had a subscriber.
        /// - `malformed`, `contentTooLarge` or `fieldsTooLarge` if the peer violates the syntax or a limit.
        /// - `incomplete` if the peer ends its stream inside the body.
        /// - `connection` if the connection fails.
        /// - `closed` if this side has closed the connection or finished the exchange.
        /// - `sourceFailed` if the source of a body of this process fails, unless it fails with an `HTTPError`.
        public var signal: Signal<Bytes, HTTPError> {
            switch content {
            case .stored(let bytes): bytes.isEmpty ? .empty : .just(bytes)
            case .source(let source): source.signal
            case .received(let received): ReceivedBody.signal(of: received)
            case .file(let content): content.signal
            case .failed(let content): .just(content.text)
            case .upgrade: .empty
            case .upgraded(let upgrade): upgrade.body
            }
        }

        /// The bytes as an asynchronous sequence. A slow loop pauses the source.
        public var values: SignalValues<Bytes, HTTPError> { signal.values(limit: 1) }

        /// Collects the whole body.
        ///
        /// - Parameter limit: The maximum number of bytes.
        /// - Returns: A signal that sends all bytes as one value and completes. It fails with `contentTooLarge` if the
        ///   body has more than `limit` bytes, and as ``signal`` does.
        public func bytes(limit: Int = HTTPLimits.collectedBytes) -> Signal<Bytes, HTTPError> {
            let tooLarge = HTTPError(.contentTooLarge, "the body has more than the \(limit) bytes that are allowed")
            if let length, length > limit { return .fail(tooLarge) }
            if case .stored(let bytes) = content { return .just(bytes) }
            return
                signal
                .scanMap(into: 0) { count, chunk in
                    count += chunk.count
                    return (count, chunk)
                }
                .attemptMap { (count, chunk) throws(HTTPError) in
                    if count > limit { throw tooLarge }
                    return chunk
                }
                .reduce(into: CollectedBody()) { $0.append($1) }
                .map { $0.bytes }
        }

        /// The trailer fields. `nil` if there are none, and before a received body has completed. The source of another
        /// body may return them at any time.
        public var trailers: HTTPFields? {
            switch content {
            case .stored, .file, .failed: nil
            case .source(let source): source.trailers?()
            case .received(let received): received.value.trailers
            case .upgrade, .upgraded: nil
            }
        }
    }

    /// The text of a response, and the failure that the server reports when it sends the response. The failure of a
    /// request is that of sending it.
    final class FailedContent: Sendable {
        let text: Bytes
        let error: HTTPError

        init(_ text: Bytes, _ error: HTTPError) {
            self.text = text
            self.error = error
        }
    }

    /// The source of a body that this process sends.
    final class BodySource: Sendable {
        let signal: Signal<Bytes, HTTPError>
        let length: Int?
        let trailers: (@Sendable () -> HTTPFields?)?
        /// Whether the body has no end of its own. The drain of a server completes it, so that it does not use up the grace
        /// period, and it ends with the client's stream.
        let isEndless: Bool
        /// The number of bytes after which the source waits for the next turn. A file could otherwise occupy the loop.
        let bytesPerTurn: Int

        init(
            signal: Signal<Bytes, HTTPError>,
            length: Int?,
            trailers: (@Sendable () -> HTTPFields?)?,
            isEndless: Bool = false,
            bytesPerTurn: Int = .max
        ) {
            self.signal = signal
            self.length = length.map { max(0, $0) }
            self.trailers = trailers
            self.isEndless = isEndless
            self.bytesPerTurn = bytesPerTurn
        }

        /// Nothing.
        static let none = BodySource(signal: .empty, length: nil, trailers: nil)

        /// A body that a peer sends, passed on. A stream of events without a length is endless.
        convenience init(_ received: UnsafeTransfer<ReceivedBody>, of response: HTTPResponse? = nil) {
            let length = received.value.length
            self.init(
                signal: ReceivedBody.signal(of: received),
                length: length,
                trailers: { received.value.trailers },
                isEndless: length == nil && response?.hasEvents == true
            )
        }

        /// A file that is read while it is sent.
        convenience init(_ content: FileContent) {
            self.init(signal: content.signal, length: content.length, trailers: nil, bytesPerTurn: 256 * 1024)
        }
    }

    /// The bytes of a body so far. They are copied, because a chunk of one byte may retain the memory of many.
    struct CollectedBody: Sendable {
        private enum Content {
            case one(Bytes)
            case joined([UInt8])
        }

        private var content = Content.one(Bytes())

        var bytes: Bytes {
            switch content {
            case .one(let bytes): bytes
            case .joined(let bytes): Bytes(bytes)
            }
        }

        mutating func append(_ chunk: Bytes) {
            switch content {
            case .one(let bytes) where bytes.isEmpty: content = .one(chunk.compacted())
            case .one(let bytes): content = .joined(Array(bytes) + chunk)
            case .joined(var bytes):
                // Otherwise the array would be copied.
                content = .one(Bytes())
                bytes.append(contentsOf: chunk)
                content = .joined(bytes)
            }
        }
    }
#endif
