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
    /// leader. Only JetStream can distinguish these cases.
    struct Publication: Sendable {
        /// The delay before a message is published again, while its stream has no leader.
        private static let delay = Duration.milliseconds(250)
        /// How long JetStream may take to name the stream. While servers elect the leader that names streams, they drop the
        /// question.
        private static let patience = Duration.seconds(1)

        let client: NATSClient
        let message: NATSMessage
        /// The end of the time limit.
        let end: LoopInstant
        let completion: @Sendable (Result<NATSMessage, NATSError>) -> Void

        /// Publishes the message.
        func ask(within timeout: Duration) {
            let core = client.core.value
            _ = core.inbox.ask(message, within: timeout, isAskedAgain: true, core) { result in
                guard case .failure(let error) = result, error.code == .noResponders else { return completion(result) }
                findStream()
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
            loop.schedule(after: Self.delay) { ask(within: max(Self.delay, end - loop.now)) }
        }

        private func fail(_ code: NATSError.Code, _ why: String) {
            completion(.failure(NATSError(code, "publishing to \(message.subject): \(why)")))
        }
    }
#endif
