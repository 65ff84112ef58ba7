// SPDX-License-Identifier: MIT
#if NATS
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets
    import ReactiveSupport

    /// A message that waits for the acknowledgement of its stream. It belongs to the client's loop, and retains the
    /// client.
    ///
    /// A server answers 503 if nothing receives the subject at the moment: no stream stores it, or its stream has no
    /// leader. Only JetStream can distinguish these cases. A leader that dies may take a message without an answer, so a
    /// message that is not acknowledged is published again too. The stream recognises it by its id.
    struct Publication: Sendable {
        /// The delay before a message is published again, while its stream has no leader.
        private static let delay = Duration.milliseconds(250)
        /// How long JetStream may take to name the stream. While servers elect the leader that names streams, they drop the
        /// question.
        private static let patience = Duration.seconds(1)
        /// How long a stream may take to acknowledge a message that its server has processed, before it is published again.
        private static let acknowledgementTime = Duration.seconds(3)

        let client: NATSClient
        let message: NATSMessage
        /// Whether it fails if the reconnect buffer has no room.
        let isLimited: Bool
        /// The end of the time limit.
        let end: LoopInstant
        let completion: @Sendable (Result<NATSMessage, NATSError>) -> Void

        /// Publishes the message.
        func ask() {
            let core = client.core.value
            let timeout = max(.milliseconds(1), end - client.loop.now)
            let patience = Self.acknowledgementTime
            _ = core.inbox.ask(
                message,
                within: timeout,
                isAskedAgain: true,
                patience: patience,
                isLimited: isLimited,
                core
            ) { result in
                if case .failure(let error) = result, error.code == .noResponders { return findStream() }
                completion(result)
            }
        }

        /// Asks JetStream which stream stores the subject.
        private func findStream() {
            let question = JSONValue.object(["subject": .string(message.subject)])
            let patience = min(Self.patience, max(Self.delay, end - client.loop.now))
            _ = JetStream.ask("STREAM.NAMES", question, within: patience, client.core.value) { result in
                switch result {
                case .success(let json) where json["streams"]?.array?.isEmpty ?? true:
                    fail(.streamMissing, "no stream takes it")
                case .failure(let error) where error.code == .noJetStream || !error.mayBeTemporary:
                    completion(.failure(error))
                default: askAgain()
                }
            }
        }

        /// Publishes the message again, unless its time limit is near.
        private func askAgain() {
            let loop = client.loop
            guard loop.now + Self.delay < end else {
                return fail(.timedOut, "its stream has no leader, or JetStream does not answer")
            }
            loop.schedule(after: Self.delay) { ask() }
        }

        private func fail(_ code: NATSError.Code, _ why: String) {
            completion(.failure(NATSError(code, "publishing to \(message.subject): \(why)")))
        }
    }
#endif
