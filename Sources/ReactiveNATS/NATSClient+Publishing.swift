#if NATS
    import ReactiveCore
    public import ReactiveSignals
    public import ReactiveSockets
    import ReactiveSupport

    extension NATSClient {
        /// Publishes a message, after everything published before. It starts at once; while there is no connection it waits.
        ///
        /// The result may be let go of. It completes when the server has confirmed the message, and fails with `unconfirmed`
        /// where the connection broke before: it has arrived or not. It fails where the message is refused, with
        /// `messageTooLarge`, `invalidSubject`, `bufferFull`, `closed`; ``events`` tells that too. That somebody gets it is
        /// not said by anything: see ``jetStream``.
        @discardableResult
        public func publish(_ message: NATSMessage) -> Signal<Never, NATSError> {
            let ticket = UnsafeTransfer(PublishTicket())
            let (core, loop) = (core, loop)
            loop.runOrExecute { core.value.publish(message, ticket.value) }
            return Signal { emitter, _ in
                if let over = loop.overError { return emitter.fail(over) }
                loop.runOrExecute {
                    core.value.observe(ticket.value) { error in
                        if let error { emitter.fail(error) } else { emitter.complete() }
                    }
                }
            }
        }

        /// Publishes some bytes; the same as ``publish(_:)``.
        @discardableResult
        public func publish(_ payload: Bytes, to subject: String) -> Signal<Never, NATSError> {
            publish(NATSMessage(payload, to: subject))
        }

        /// Publishes everything that `source` sends, in its order.
        ///
        /// It starts at once, and holds `source` back while more waits than the options' `highWatermark`: for a slow server, or
        /// for a connection. What is refused or may be lost is told by ``events``, and the next one is published. The result may
        /// be let go of; it completes when the server has confirmed everything that was not lost, and fails when the client
        /// ends, or with what `source` fails with: `sourceFailed`, unless that is a `NATSError`.
        @discardableResult
        public func publish<Failure: Error>(from source: Signal<NATSMessage, Failure>) -> Signal<Never, NATSError> {
            if let over = loop.overError { return .fail(over) }
            return ClientCore.write(source, to: core, on: loop)
        }
    }
#endif
