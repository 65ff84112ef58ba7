// SPDX-License-Identifier: MIT
#if NATS
    public import ReactiveCore
    public import ReactiveSignals
    public import ReactiveSockets
    import ReactiveSupport

    extension NATSClient {
        /// Publishes a message after all earlier ones, without waiting for a subscription to the result. While no
        /// connection exists, the message is queued.
        ///
        /// The result may be ignored. It completes when the server has confirmed the message. That does not mean that a
        /// subscriber received it; see ``jetStream``. The result retains the client.
        ///
        /// It fails with:
        ///
        /// - `unconfirmed` if the connection breaks first. The message may or may not have arrived.
        /// - `messageTooLarge`, `invalidSubject`, `subjectTooLong`, `invalidArgument` or `bufferFull` if the client refuses
        ///   the message. ``events`` reports refusals too.
        /// - `closed`, or the reason, if the client has closed.
        /// - `loop` if the loop has been disposed.
        @discardableResult
        public func publish(_ message: NATSMessage) -> Signal<Never, NATSError> {
            let ticket = UnsafeTransfer(PublishTicket())
            loop.runOrExecute { [core] in core.value.publish(message, ticket.value) }
            return operation { core, emitter, _ in
                core.observe(ticket.value) { error in
                    if let error { emitter.fail(error) } else { emitter.complete() }
                }
            }
        }

        /// Publishes a payload, like ``publish(_:)``.
        @discardableResult
        public func publish(_ payload: Bytes, to subject: String) -> Signal<Never, NATSError> {
            publish(NATSMessage(payload, to: subject))
        }

        /// Publishes every message of `source`, in order. The source is a signal, a subject or another source.
        ///
        /// It subscribes to `source` immediately. It pauses `source` at the options' `highWatermark`. While no
        /// connection exists, it pauses `source` when the waiting bytes reach `highWatermark` or half of `reconnectBuffer`,
        /// whichever is less. Messages that are refused or unconfirmed are reported by ``events``, and the next one is
        /// published.
        ///
        /// The result may be ignored. It completes when the server has confirmed every message that was not lost. The
        /// client is retained until then. The result fails if the client closes. If `source` fails with a `NATSError`,
        /// the result fails with that error. If `source` fails with another error, the result fails with
        /// `sourceFailed`. A failure that nothing receives is reported as an `UnhandledFailure`.
        @discardableResult
        public func publish<Source: SignalSource>(from source: Source) -> Signal<Never, NATSError>
        where Source.Value == NATSMessage {
            if let error = loop.refusal(as: NATSError.self) { return .fail(error) }
            return ClientCore.write(Signal(source), to: core, on: loop, keeping: self)
        }
    }
#endif
