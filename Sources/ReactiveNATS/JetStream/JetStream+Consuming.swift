#if NATS
    import ReactiveCore
    public import ReactiveSignals
    import ReactiveSupport

    extension JetStream {
        /// Reads a stream: every message once and in order, from `start` on, and what comes from then on.
        ///
        /// Nothing has to be acknowledged. When the connection breaks, or the server has forgotten who reads, it goes on behind the
        /// last message that came: nothing is left out or comes twice, but for what the stream itself no longer has. Up to
        /// `batch` messages are asked for in advance; a pause holds the stream back (law 11). It fails with `streamMissing`,
        /// `noJetStream` and with the client's end.
        public func read(
            _ stream: String,
            from start: StreamStart = .all,
            subject: String? = nil,
            batch: Int = 256
        ) -> Signal<JetStreamMessage, NATSError> {
            pull(stream, .own(start, subject: subject), batch)
        }

        /// Takes messages out of a consumer that the server keeps, and makes it first where there is none.
        ///
        /// Each message has to be acknowledged when one is done with it (``JetStreamMessage/acknowledge()``); what is not, in
        /// time, comes again and says so: ``JetStreamMessage/isRedelivered``. Several who consume under one name share its
        /// messages. Up to `batch` messages are asked for in advance; a pause holds the consumer back (law 11), and what was
        /// taken and not delivered when the subscription is disposed goes to others. It fails with `streamMissing`,
        /// `consumerMissing` where somebody has deleted it, `noJetStream`, `refused` where there is one with other
        /// settings, and with the client's end.
        public func consume(
            _ stream: String,
            _ consumer: NATSConsumerSettings,
            batch: Int = 64
        ) -> Signal<JetStreamMessage, NATSError> {
            pull(stream, .kept(consumer), batch)
        }

        /// Consumes, with `work` for each message: it is acknowledged when the work has completed, and delivered again when it
        /// has failed; then it is sent on, if it was acknowledged.
        ///
        /// At most `limit` works at a time; with one they are done in order. Failures of the work do not end it; the consumer's
        /// settings say how often a message is tried.
        public func consume<Failure: Error>(
            _ stream: String,
            _ consumer: NATSConsumerSettings,
            limit: Int = 1,
            _ work: @escaping @Sendable (JetStreamMessage) -> Signal<Never, Failure>
        ) -> Signal<JetStreamMessage, NATSError> {
            consume(stream, consumer, batch: max(1, limit)).flatMap(.concurrent(limit: limit)) { message in
                Signal<JetStreamMessage, NATSError> { emitter, subscription in
                    work(message).subscribe(
                        in: subscription.makeChild(),
                        onTermination: { termination in
                            switch termination {
                            case .completed:
                                message.acknowledge()
                                emitter.send(message)
                            case .failed: message.reject()
                            }
                            emitter.complete()
                        }
                    )
                }
            }
        }

        private func pull(_ stream: String, _ kind: PullReader.Kind, _ batch: Int) -> Signal<
            JetStreamMessage, NATSError
        > {
            Signal { [client] emitter, subscription in
                let loop = client.loop
                if let over = loop.overError { return emitter.fail(over) }
                let isPaused = ToldPause()
                let reader = UnsafeTransfer(PullReader(client, stream, kind, batch, emitter, subscription, isPaused))
                loop.runOrExecute { reader.value.start() }
                isPaused.follow(subscription) { loop.runOrExecute { reader.value.deliver() } }
                subscription.onDispose { loop.runOrExecute { reader.value.stop() } }
            }
        }
    }
#endif
