// SPDX-License-Identifier: MIT
#if TLS
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets
    import ReactiveSupport

    /// The question which context to use for the host name of a client, and its answer.
    ///
    /// The answer may arrive on any thread. Only the first one counts.
    final class ServerNameRequest: Sendable {
        enum Answer: Sendable {
            /// Use the context of the listener.
            case own
            case context(TLSContext)
            /// Refuse the client.
            case refusal(any Error)
        }

        /// The name, or nil if the client has sent none.
        let name: String?
        private let subscription = SignalSubscription()
        private let state = Lock<Answer?>(nil)

        init(_ name: String?) { self.name = name }

        /// The answer, or nil as long as there is none.
        var answer: Answer? { state.withLock { answer in answer } }

        /// Calls the closure of the configuration in a job of the loop, because user code must not run inside of OpenSSL.
        ///
        /// - Parameter resumption: Continues the handshake. nil without a connection, as in tests.
        func ask(
            _ choose: @escaping @Sendable (String?) -> Signal<TLSContext, any Error>,
            _ resumption: TransformerResumption?
        ) {
            guard let resumption else { return subscribe(choose, nil) }
            resumption.loop.execute { self.subscribe(choose, resumption) }
        }

        private func subscribe(
            _ choose: @Sendable (String?) -> Signal<TLSContext, any Error>,
            _ resumption: TransformerResumption?
        ) {
            // The connection may have ended since.
            if subscription.isDisposed { return }
            choose(name).subscribe(
                in: subscription,
                onValue: { context in self.take(.context(context), resumption) },
                onTermination: { termination in
                    switch termination {
                    case .completed: self.take(.own, resumption)
                    case .failed(let error): self.take(.refusal(error), resumption)
                    }
                }
            )
        }

        private func take(_ answer: Answer, _ resumption: TransformerResumption?) {
            let isFirst = state.withLock { state in
                guard state == nil else { return false }
                state = answer
                return true
            }
            guard isFirst else { return }
            subscription.dispose()
            resumption?.resume()
        }

        /// Ends the wait, because the connection has ended.
        func cancel() { subscription.dispose() }
    }
#endif
