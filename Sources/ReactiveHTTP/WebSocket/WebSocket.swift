// SPDX-License-Identifier: MIT
#if HTTP
    public import ReactiveCore
    public import ReactiveSignals
    public import ReactiveSockets
    import ReactiveSupport

    /// One side of a WebSocket (RFC 6455): messages in both directions. `socket.send(from: socket.messages)` is an echo.
    ///
    /// All events are delivered on the connection's loop. Any thread may use every member. A call on the loop takes effect
    /// before it returns; a call from another thread takes effect in a job of the loop, in the order of the calls.
    ///
    /// The WebSocket answers pings and Close frames itself. Without a subscriber of ``messages``,
    /// it answers only until the peer sends a message. Later pings and Close frames wait behind that message. When the server of the
    /// connection drains, it closes with the code 1001. Releasing the object does not close the WebSocket.
    public final class WebSocket: Sendable {
        let core: UnsafeTransfer<WebSocketCore>
        /// The subprotocol that both sides have agreed on, or `nil`.
        public let subprotocol: String?

        init(_ core: WebSocketCore, subprotocol: String?) {
            self.core = UnsafeTransfer(core)
            self.subprotocol = subprotocol
        }

        /// The connection, for its addresses and options. Do not send or receive bytes through it.
        public var connection: Connection { core.value.connection }

        /// The loop that delivers all events.
        public var loop: any LoopScheduler { core.value.loop }

        // MARK: Receiving

        /// The messages of the peer. Completes when the closing handshake has ended.
        ///
        /// While the subscription is paused, bytes wait in the kernel, and TCP slows the peer down (law 11). A message is
        /// sent when it is complete; ``WebSocketConfiguration/messageBytes`` limits its size. One subscriber is allowed at a
        /// time for messages and ``fragments`` together. If it is disposed inside a message, the rest of this message is
        /// skipped. The signal fails with:
        ///
        /// - `protocolViolation`, `invalidText` or `messageTooLarge` if the peer violates the protocol or a limit.
        /// - `incomplete` if the peer ends its stream without a Close frame.
        /// - `timedOut` if the peer does not answer a ping or a Close frame.
        /// - `connection` if the connection fails.
        /// - `closed` if the loop has been disposed.
        /// - `alreadyReceiving` if there is a subscriber. That subscriber is not affected.
        public var messages: Signal<WebSocketMessage, WebSocketError> {
            let core = core
            return .starting { sink, subscription in
                WebSocketCore.signal(of: core).attachInput(TargetSink(MessageJoiner(sink)), in: subscription)
            }
        }

        /// The parts of messages as they arrive, for messages that are too large for memory. Otherwise like ``messages``.
        ///
        /// Set ``WebSocketConfiguration/messageBytes`` to `nil` for messages without a limit.
        public var fragments: Signal<WebSocketFragment, WebSocketError> {
            WebSocketCore.signal(of: core)
        }

        // MARK: Sending

        /// Sends a message after all earlier ones. What the kernel does not accept yet is queued.
        ///
        /// The queue has no limit: observe the result, or use ``send(from:)``.
        ///
        /// - Parameter message: The message. It is sent as one frame.
        /// - Returns: A signal that completes when the kernel has accepted the message and all earlier ones. It may be
        ///   ignored. It fails with `closed` if the WebSocket is closed or closing, with the error that ended it, or with
        ///   `connection`.
        @discardableResult
        public func send(_ message: WebSocketMessage) -> Signal<Never, WebSocketError> {
            let ticket = UnsafeTransfer(WebSocketTicket())
            let (core, loop) = (core, loop)
            loop.runOrExecute { core.value.send(message, ticket.value) }
            return Signal { emitter, subscription in
                if let error = loop.refusal(as: WebSocketError.self) { return emitter.fail(error) }
                loop.runOrExecute { ticket.value.observe(emitter, subscription) }
            }
        }

        /// Sends all messages of a source, then closes with the code 1000.
        ///
        /// It subscribes to `source` immediately, on the calling thread. It pauses `source` at the high watermark of the
        /// connection and resumes it at the low one. If `source` fails, the peer receives the close code 1011; a failure of
        /// this WebSocket's own messages has closed it already. Several sources may be sent at the same time. The first one
        /// that completes closes the WebSocket, and the results of the others fail with `closed`.
        ///
        /// - Parameter source: The messages to send.
        /// - Returns: A signal that completes when the kernel has accepted the last message and the Close frame. It may be
        ///   ignored. It fails with `closed` if the WebSocket is closed first, with the error that ended it, or with
        ///   `sourceFailed`. A failure that nothing receives is reported as an `UnhandledFailure`.
        @discardableResult
        public func send<Source: SignalSource>(from source: Source) -> Signal<Never, WebSocketError>
        where Source.Value == WebSocketMessage {
            if let error = loop.refusal(as: WebSocketError.self) { return .fail(error) }
            return WebSocketCore.write(
                Signal(source),
                to: core,
                on: loop,
                keeping: self,
                for: connection.remoteAddress?.description ?? "an unknown peer"
            )
        }

        // MARK: Closing

        /// Closes the WebSocket after the messages that have been sent so far. Later calls do nothing.
        ///
        /// It sends a Close frame and waits for that of the peer, for at most ``WebSocketConfiguration/closeTime``. Messages
        /// that arrive until then are discarded. Later sends fail with `closed`, and so do sources that are being sent.
        ///
        /// - Parameters:
        ///   - code: Why the WebSocket is closed. A code that is not allowed in a frame traps.
        ///   - reason: A text for developers. It is cut after 123 bytes.
        public func close(_ code: WebSocketCloseCode = .normal, reason: String = "") {
            let close = WebSocketClose(code, reason: reason)
            loop.runOrExecute { [core] in core.value.close(close) }
        }

        /// Sends the Close frame of the peer when the closing handshake has ended, and completes.
        ///
        /// Any number of subscribers are allowed, and later ones receive the same. The signal fails with the errors of
        /// ``messages``, except `alreadyReceiving`.
        public var ended: Signal<WebSocketClose, WebSocketError> {
            let (core, loop) = (core, loop)
            return Signal { emitter, subscription in
                if let error = loop.refusal(as: WebSocketError.self) { return emitter.fail(error) }
                loop.runOrExecute { core.value.observeEnd(emitter, subscription) }
            }
        }
    }
#endif
