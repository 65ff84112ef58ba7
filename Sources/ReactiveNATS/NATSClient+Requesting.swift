#if NATS
    public import ReactiveCommands
    import ReactiveCore
    public import ReactiveSignals
    public import ReactiveSockets
    import ReactiveSupport

    extension NATSClient {
        /// Asks for each subscription, and sends the first answer.
        ///
        /// It fails with `noResponders` where nobody listens to the subject, with `timedOut` where nobody answers, with
        /// `unconfirmed` where the connection breaks in between, and where the message is refused as ``publish(_:)`` says.
        /// Disposed, the answer is not heard.
        public func request(
            _ message: NATSMessage,
            timeout: Duration = .seconds(5)
        ) -> Signal<NATSMessage, NATSError> {
            Signal { [self] emitter, subscription in
                if let over = loop.overError { return emitter.fail(over) }
                loop.runOrExecute { [core, loop] in
                    if subscription.isDisposed { return }
                    let name = core.value.inbox.ask(message, within: timeout, core.value) { result in
                        switch result {
                        case .success(let answer):
                            emitter.send(answer)
                            emitter.complete()
                        case .failure(let error): emitter.fail(error)
                        }
                    }
                    subscription.onDispose { loop.runOrExecute { core.value.inbox.forget(name) } }
                }
            }
        }

        /// Makes a command that asks `subject`: its input is what to say, its output the answer.
        ///
        /// How many ask at a time is the strategy's to say; it delivers on the loop. Failures are those of ``request(_:timeout:)``.
        public func requests(
            to subject: String,
            timeout: Duration = .seconds(5),
            _ strategy: CommandStrategy = .concurrent()
        ) -> Command<Bytes, NATSMessage, NATSError> {
            Command(strategy) { [self] payload in request(NATSMessage(payload, to: subject), timeout: timeout) }
        }

        /// Answers a message; without an effect where it does not want an answer.
        @discardableResult
        public func answer(_ message: NATSMessage, with payload: Bytes, headers: NATSHeaders = [:]) -> Signal<
            Never, NATSError
        > {
            guard let reply = message.reply else { return .empty }
            return publish(NATSMessage(payload, to: reply, headers: headers))
        }
    }
#endif
