// SPDX-License-Identifier: MIT
#if HTTP
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets
    import ReactiveSupport

    /// The closing handshake, failures, and the end.
    extension WebSocketCore {
        /// An observer of the end.
        struct EndObserver {
            let emitter: Emitter<WebSocketClose, WebSocketError>
            let subscription: SignalSubscription
        }

        /// Begins the closing handshake. Does nothing if it has begun.
        func close(_ close: WebSocketClose) {
            guard state.begin() else { return }
            sink.receive(encoder.close(close))
            sources.takeAll().end(with: closedError)
            startClosingTimer()
            // Data that waits is discarded, so that the peer's Close frame is found.
            work()
        }

        /// Acts on the Close frame of the peer.
        func received(_ close: WebSocketClose) {
            if state.receive(close) {
                // The same code, as RFC 6455 section 5.5.1 recommends.
                sink.receive(encoder.close(WebSocketClose(close.code)))
                sources.takeAll().end(with: closedError)
            }
            terminate(.completed)
            // The server closes the connection first (RFC 6455 section 7.1.1).
            if isClient { startClosingTimer() } else { finish(.success(close)) }
        }

        /// Fails the WebSocket (RFC 6455 section 7.1.7). The peer receives the error's close code if it has one.
        func fail(_ error: WebSocketError) {
            if state.phase == .open, let code = error.code.closeCode, state.begin() {
                sink.receive(encoder.close(WebSocketClose(code, reason: error.message)))
            }
            finish(.failure(error))
        }

        /// Ends everything, and closes the connection after what has been sent.
        func finish(_ result: Result<WebSocketClose, WebSocketError>) {
            guard state.end() else { return }
            closingTimer.take()?.dispose()
            keepAliveTimer.take()?.dispose()
            endInput()
            compressor?.release()
            waitingPong = nil
            end = Boxed(result)
            if !output.isDisposed { sink.receive(termination: .completed) }
            connection.close()
            switch result {
            case .success:
                sources.takeAll().end(with: closedError)
                terminate(.completed)
            case .failure(let error):
                sources.takeAll().end(with: error)
                terminate(.failed(error))
            }
            for observer in endObservers.takeAll() { observer.emitter.receive(result) }
            if let service = service.take(), !service.isDisposed {
                // In a job: the service is perhaps completing now.
                loop.execute { service.dispose() }
            }
        }

        /// Releases everything without notifying subscribers, because the loop has been disposed.
        func abandon() {
            guard state.end() else { return }
            // Released last, because their release may run user code (law 3).
            let observers = endObservers.takeAll()
            endInput()
            sources.takeAll().abandon()
            abandonSubscriber()
            service.take()?.dispose()
            withExtendedLifetime(observers) {}
        }

        private var closedError: WebSocketError {
            WebSocketError(.closed, "the WebSocket with \(peerName) is closed")
        }

        /// The reason why no message can be sent, or `nil`.
        var refusal: WebSocketError? {
            if state.acceptsMessages { return nil }
            if case .failure(let error)? = end?.value { return error }
            return closedError
        }

        private func startClosingTimer() {
            // An observer that was just notified may have closed the connection.
            if state.phase == .closed { return }
            closingTimer?.dispose()
            let own = UnsafeTransfer(self)
            let options = TimerOptions(leeway: closeTime / 8, keepsLoopAlive: false)
            closingTimer = loop.schedule(at: loop.now + closeTime, options: options) {
                own.value.closingTimeEnded()
            }
        }

        private func closingTimeEnded() {
            if let close = state.received { return finish(.success(close)) }
            finish(.failure(WebSocketError(.timedOut, "\(peerName) did not answer a Close frame within \(closeTime)")))
        }

        // MARK: Observing the end

        func observeEnd(_ emitter: Emitter<WebSocketClose, WebSocketError>, _ subscription: SignalSubscription) {
            if let end { return emitter.receive(end.value) }
            endObservers.removeAll { $0.subscription.isDisposed }
            endObservers.append(EndObserver(emitter: emitter, subscription: subscription))
        }

        // MARK: The service

        /// Observes the result of the service: its end closes the WebSocket.
        func serve<Value, Failure: Error>(_ result: Signal<Value, Failure>) {
            // The service may have ended the WebSocket.
            if state.phase == .closed { return }
            let subscription = SignalSubscription()
            service = subscription
            let own = UnsafeTransfer(self)
            result.subscribe(
                in: subscription,
                onValue: { _ in },
                onTermination: { termination in
                    own.value.loop.runOrExecute { own.value.serviceEnded(termination) }
                }
            )
        }

        private func serviceEnded<Failure: Error>(_ termination: Termination<Failure>) {
            switch termination {
            case .completed: close(WebSocketClose(.normal))
            case .failed(let error):
                guard state.phase == .open else { return }
                if !(error is WebSocketError) { UnhandledFailure.report(error, of: "the service of a WebSocket") }
                // The message may contain what the peer must not know.
                close(WebSocketClose(.internalError))
            }
        }
    }
#endif
