// SPDX-License-Identifier: MIT
#if HTTP
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets
    import ReactiveSupport

    /// The end of a connection during the drain of its server.
    ///
    /// A request that is on its way when this side closes the connection is lost, and its client may not repeat it unless
    /// it is idempotent (RFC 9112 section 9.3.1). So the connection announces its end with a response if it can.
    extension ServerConnection {
        /// How long a request may be on its way when the drain begins. The connection is closed if none arrives.
        static let lastRequestTime = Duration.seconds(1)

        func drain() {
            isDraining = true
            if state.isBetweenRequests { awaitLastRequest() } else { endEndlessBody() }
        }

        /// Closes the connection if its peer has been silent for long. Otherwise a request may be on its way, so this
        /// method waits for it. The response to it has `Connection: close`.
        func awaitLastRequest() {
            if hasWaitedLong, !hasRequest { return finish() }
            let own = UnsafeTransfer(self)
            let (time, options) = (Self.lastRequestTime, TimerOptions(keepsLoopAlive: false))
            // It repeats, because unread bytes may be bytes of TLS itself, after which no request follows.
            add(
                loop.schedule(at: loop.now + time, repeating: .fixedDelay(time), options: options) {
                    if own.value.state.isBetweenRequests, !own.value.hasRequest { own.value.finish() }
                }
            )
        }

        /// Whether bytes of the next request have arrived that are not parsed yet.
        private var hasRequest: Bool { parser.unreadCount > 0 || connection.hasUnreadInput }

        /// Completes a body that ends with the drain or with the client. The end of the exchange disposes its source.
        func endEndlessBody() {
            guard let sending, sending.source.isEndless, sending.head == nil else { return }
            // Its client expects the end of the stream, and no other response on this connection.
            state.endAfterResponse()
            end(sending, .completed)
            sending.subscription.dispose()
        }
    }
#endif
