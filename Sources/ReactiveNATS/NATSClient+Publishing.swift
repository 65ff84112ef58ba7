// SPDX-License-Identifier: MIT
#if NATS
    import ReactiveCore
    public import ReactiveSignals
    public import ReactiveSockets
    import ReactiveSupport

    extension NATSClient {
        /// Publishes a message, after all earlier ones. It starts immediately, and queues the message while no
        /// connection exists.
        ///
        /// The result may be ignored. It completes when the server has confirmed the message. That does not mean that a
        /// subscriber received it; see ``jetStream``.
        ///
        /// It fails with `unconfirmed` if the connection broke first, so the message may or may not have arrived. It
        /// fails with `messageTooLarge`, `invalidSubject`, `subjectTooLong`, `invalidArgument`, `bufferFull` or
        /// `closed` if the message is refused; ``events`` reports refusals too. It fails with `loop` if the loop has
        /// been disposed.
        @discardableResult
        public func publish(_ message: NATSMessage) -> Signal<Never, NATSError> {
            let ticket = UnsafeTransfer(PublishTicket())
            let (core, loop) = (core, loop)
            loop.runOrExecute { core.value.publish(message, ticket.value) }
            return Signal { emitter, _ in
                if let error = loop.disposedError { return emitter.fail(error) }
                loop.runOrExecute {
                    core.value.observe(ticket.value) { error in
                        if let error { emitter.fail(error) } else { emitter.complete() }
                    }
                }
            }
        }

        /// Publishes a payload, like ``publish(_:)``.
        @discardableResult
        public func publish(_ payload: Bytes, to subject: String) -> Signal<Never, NATSError> {
            publish(NATSMessage(payload, to: subject))
        }

        /// Publishes every message of `source`, in order.
        ///
        /// It subscribes to `source` immediately. It pauses `source` while more than the options' `highWatermark` is
        /// queued for a slow server or for a connection. Messages that are refused or unconfirmed are reported by
        /// ``events``, and the next one is published.
        ///
        /// The result may be ignored. It completes when the server has confirmed every message that was not lost. It
        /// fails if the client closes. If `source` fails, it fails with the same error if that is a `NATSError`,
        /// otherwise with `sourceFailed`.
        @discardableResult
        public func publish<Failure: Error>(from source: Signal<NATSMessage, Failure>) -> Signal<Never, NATSError> {
            if let error = loop.disposedError { return .fail(error) }
            return ClientCore.write(source, to: core, on: loop)
        }
    }
#endif
