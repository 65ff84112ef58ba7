// SPDX-License-Identifier: MIT
#if NATS
    import ReactiveCore
    public import ReactiveSignals
    import ReactiveSockets
    import ReactiveSupport

    extension JetStream {
        /// Reads a stream: every message once and in order, first the stored messages from `start` on, then new ones.
        ///
        /// Messages need no acknowledgement. If the connection breaks, or the server loses the consumer, reading
        /// continues after the last received message. Only messages that the stream has removed are skipped.
        ///
        /// Up to `batch` messages are requested in advance. While the subscriber is paused, no messages are requested (law
        /// 11, Docs/Laws.md). If the signal fails, requested messages that were not delivered are dropped. The stream still
        /// stores them.
        ///
        /// The signal fails when the client closes, and with:
        ///
        /// - `streamMissing`, also if the stream was deleted later, or if a shorter stream has replaced it.
        /// - `noJetStream`.
        /// - `refused` if JetStream refuses for another reason.
        /// - `timedOut` if JetStream does not answer the first request within ten seconds. Later, if it sends neither
        ///   messages nor heartbeats for 40 to 60 seconds, although the client is connected.
        /// - `malformed` if the server violates the protocol, or if its consumers omit messages four times in a row.
        ///
        /// - Parameters:
        ///   - stream: The name of the stream.
        ///   - start: The position of the first message.
        ///   - subject: The subject to read, which may contain wildcards. `nil` reads all subjects of the stream.
        ///   - batch: The maximum number of messages to request in advance. A value below 1 counts as 1.
        public func read(
            _ stream: String,
            from start: StreamStart = .all,
            subject: String? = nil,
            batch: Int = 256
        ) -> Signal<JetStreamMessage, NATSError> {
            pull(stream, .ephemeral(start, subject: subject), batch)
        }

        /// Receives messages from a durable consumer, which is created if it does not exist.
        ///
        /// Acknowledge each message after processing it (``JetStreamMessage/acknowledge()``). Unacknowledged messages
        /// are redelivered after a timeout, with ``JetStreamMessage/isRedelivered`` set. Several subscribers of one
        /// consumer share its messages.
        ///
        /// Up to `batch` messages are requested in advance. While the subscriber is paused, no messages are requested
        /// (law 11). When the signal fails or its subscription is disposed, messages that have reached the client return to the
        /// consumer. Those that the server was sending, and all if the client has closed, return after the acknowledgement
        /// timeout.
        ///
        /// After each reconnect, and after two missed heartbeats, the client requests `$JS.API.CONSUMER.INFO`, because a
        /// server does not answer requests for messages of a consumer that it does not know.
        ///
        /// The signal fails when the client closes, and with:
        ///
        /// - `streamMissing`, also if the stream was deleted later.
        /// - `consumerMissing` if the consumer was deleted, also while the client was disconnected.
        /// - `noJetStream`.
        /// - `refused` if the consumer exists and JetStream cannot change its settings to these, or for another reason. An
        ///   existing consumer receives those settings that can be changed.
        /// - `timedOut` if JetStream does not answer the first request within ten seconds. Later, if it sends neither
        ///   messages nor heartbeats for 40 to 60 seconds, although the client is connected.
        /// - `malformed` if the server violates the protocol.
        public func consume(
            _ stream: String,
            _ consumer: NATSConsumerSettings,
            batch: Int = 64
        ) -> Signal<JetStreamMessage, NATSError> {
            pull(stream, .durable(consumer), batch)
        }

        /// Receives messages from a consumer and runs `work` for each. The signal sends each message that was
        /// acknowledged.
        ///
        /// A message is acknowledged when its work completes, and rejected for redelivery when its work fails. A
        /// failure of `work` does not fail the signal. The consumer's settings limit the deliveries of a message. At
        /// most `limit` signals of `work` are active at a time. With a limit of one, messages are processed one after
        /// another, in order.
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
                if let error = loop.refusal(as: NATSError.self) { return emitter.fail(error) }
                let reader = UnsafeTransfer(PullReader(client, stream, kind, batch, emitter, subscription))
                client.end(subscription, withLoop: loop)
                loop.runOrExecute { reader.value.start() }
                subscription.onFlowChange { isPaused in
                    if !isPaused { loop.runOrExecute { reader.value.deliver() } }
                }
                subscription.onDispose { loop.runOrExecute { reader.value.stop() } }
            }
        }
    }
#endif
