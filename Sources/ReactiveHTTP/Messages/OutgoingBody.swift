// SPDX-License-Identifier: MIT
#if HTTP
    import HTTPTypes
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets
    import ReactiveSupport

    /// The body of a message on its way. Only the connection's loop accesses it.
    final class OutgoingBody {
        let source: BodySource
        /// Paused while the peer does not read, and disposed with the connection.
        let subscription: SignalSubscription
        /// The head of a response, until it has been sent.
        @safe @exclusivity(unchecked)
        var head: HTTPResponse?
        /// How the peer finds the end. The number of a fixed length is that of the bytes left.
        @safe @exclusivity(unchecked)
        var framing = MessageFraming.BodyLength.none

        private var bytesThisTurn = 0

        init(_ head: HTTPResponse?, _ source: BodySource, _ subscription: SignalSubscription) {
            self.head = head
            self.source = source
            self.subscription = subscription
        }

        /// Counts sent bytes of the source. At the limit for a turn it pauses the source until the next one.
        func count(_ bytes: Int, on loop: any LoopScheduler) {
            if source.bytesPerTurn == .max { return }
            bytesThisTurn += bytes
            if bytesThisTurn < source.bytesPerTurn { return }
            bytesThisTurn = 0
            let pause = subscription.pause()
            loop.execute { pause.dispose() }
        }

        /// Frames the next bytes of the source, and counts them.
        ///
        /// - Throws: `lengthMismatch` if there are more bytes than the declared length.
        func frame(_ bytes: Bytes, of message: String) throws(HTTPError) -> Bytes {
            switch framing {
            case .fixed(let rest) where bytes.count > rest: throw mismatch("more", message)
            case .fixed(let rest): framing = .fixed(rest - bytes.count)
            case .chunked: return ChunkWriter.chunk(bytes)
            case .none, .untilClose, .tunnel: break
            }
            return bytes
        }

        /// - Throws: `lengthMismatch` if the source has sent fewer bytes than the declared length.
        func checkEnd(of message: String) throws(HTTPError) {
            if case .fixed(let rest) = framing, rest > 0 { throw mismatch("fewer", message) }
        }

        /// The bytes behind the last ones of the source, with the trailer fields. `nil` if there are none.
        var ending: Bytes? { framing == .chunked ? ChunkWriter.end(source.trailers?()) : nil }

        private func mismatch(_ direction: String, _ message: String) -> HTTPError {
            HTTPError(
                .lengthMismatch,
                "the source of a \(message) body sent \(direction) bytes than its declared length of "
                    + "\(source.length ?? 0)"
            )
        }

        /// The framing for a peer of this version. HTTP/1.0 has no chunks (RFC 9112 section 6.1).
        func framing(minorVersion: Int) -> MessageFraming.BodyLength {
            if let length = source.length { return .fixed(length) }
            return minorVersion >= 1 ? .chunked : .untilClose
        }
    }

    /// The sink of the source of a body. It moves values from other threads to the loop.
    struct OutgoingTarget<Sender: ExchangeConnection>: SinkTarget, ~Copyable {
        /// The reference is weak, because the source may be the body of the request, which the connection retains.
        private let connection: Weak<Sender>
        private let loop: any LoopScheduler
        private let body: OutgoingBody
        private let crossing = LoopCrossing()

        init(_ connection: Sender, _ body: OutgoingBody) {
            self.connection = Weak(connection)
            loop = connection.loop
            self.body = body
        }

        func receive(_ bytes: Bytes, _ sink: TargetSink<OutgoingTarget>) {
            if body.subscription.isDisposed { return }
            if crossing.isThere(on: loop) {
                connection.object?.send(bytes, of: body)
                return
            }
            let sink = UnsafeTransfer(sink)
            crossing.send(to: loop, pausing: body.subscription) {
                sink.value.target.connection.object?.send(bytes, of: sink.value.target.body)
            }
        }

        func receive(termination: Termination<HTTPError>, _ sink: TargetSink<OutgoingTarget>) {
            guard body.subscription.end() else { return }
            if crossing.isThere(on: loop) {
                connection.object?.end(body, termination)
                return
            }
            let sink = UnsafeTransfer(sink)
            loop.execute { sink.value.target.connection.object?.end(sink.value.target.body, termination) }
        }
    }
#endif
