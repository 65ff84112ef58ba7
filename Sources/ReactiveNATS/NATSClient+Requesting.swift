// SPDX-License-Identifier: MIT
#if NATS
    public import ReactiveCommands
    import ReactiveCore
    public import ReactiveSignals
    public import ReactiveSockets
    import ReactiveSupport

    extension NATSClient {
        /// Publishes a request for each subscription, and sends the first reply as its value.
        ///
        /// A pending request retains the client. After the subscription has been disposed, a reply is ignored. The
        /// signal fails with:
        ///
        /// - `noResponders` if the subject has no subscriber.
        /// - `timedOut` if no reply arrives within `timeout`.
        /// - `unconfirmed` if the connection breaks before the reply arrives.
        /// - `closed`, or the reason, when the client closes.
        /// - The errors of ``publish(_:)`` if the client refuses the message.
        public func request(
            _ message: NATSMessage,
            timeout: Duration = .seconds(5)
        ) -> Signal<NATSMessage, NATSError> {
            reply { core, completion in core.inbox.ask(message, within: timeout, core, completion) }
        }

        /// Creates a command that sends requests to `subject`. Its input is the payload, and its output is the reply.
        ///
        /// The strategy limits concurrent requests. Results are delivered on the loop. Failures are those of
        /// ``request(_:timeout:)``.
        public func requests(
            to subject: String,
            timeout: Duration = .seconds(5),
            _ strategy: CommandStrategy = .concurrent()
        ) -> Command<Bytes, NATSMessage, NATSError> {
            Command(strategy) { [self] payload in request(NATSMessage(payload, to: subject), timeout: timeout) }
        }

        /// Replies to a message. If the message expects no reply, it sends nothing and completes.
        @discardableResult
        public func answer(_ message: NATSMessage, with payload: Bytes, headers: NATSHeaders = [:]) -> Signal<
            Never, NATSError
        > {
            guard let reply = message.reply else { return .empty }
            return publish(NATSMessage(payload, to: reply, headers: headers))
        }
    }
#endif
