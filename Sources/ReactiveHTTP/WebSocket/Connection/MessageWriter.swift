// SPDX-License-Identifier: MIT
#if HTTP
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets
    import ReactiveSupport

    /// A source of messages that a WebSocket sends. Only the connection's loop uses it, except its subscription.
    final class MessageSource {
        /// Paused while the peer does not read.
        let subscription = SignalSubscription()
        let outcome: DiscardableOutcome<WebSocketError>
        /// Whether its termination has been processed, perhaps before its registration.
        var hasEnded = false

        init(keeping owner: any AnyObject & Sendable) {
            outcome = DiscardableOutcome(of: "WebSocket.send(from:)", keeping: owner)
        }

        /// Ends the source, because the WebSocket has ended before it.
        func end(with error: WebSocketError) {
            subscription.dispose()
            outcome.fail(error)
        }

        /// Releases the source without notifying subscribers.
        func abandon() {
            subscription.dispose()
            outcome.release()
        }
    }

    /// The sink of a source of messages. It moves values from other threads to the loop.
    ///
    /// `SignalDestination` in `ReactiveSignals` does the same for any destination. This type is not generic, which saves
    /// the calls for metadata that each message would cost.
    struct MessageWriter: SinkTarget, ~Copyable {
        private let core: WebSocketCore
        private let source: MessageSource
        private let crossing = LoopCrossing()

        init(_ core: WebSocketCore, _ source: MessageSource) {
            self.core = core
            self.source = source
        }

        func receive(_ message: WebSocketMessage, _ sink: TargetSink<MessageWriter>) {
            if source.subscription.isDisposed { return }
            if crossing.isThere(on: core.loop) { return core.write(message, from: source) }
            let sink = UnsafeTransfer(sink)
            crossing.send(to: core.loop, pausing: source.subscription) {
                sink.value.target.core.write(message, from: sink.value.target.source)
            }
        }

        func receive(termination: Termination<WebSocketError>, _ sink: TargetSink<MessageWriter>) {
            guard source.subscription.end() else { return }
            if crossing.isThere(on: core.loop) { return core.sourceEnded(source, termination) }
            let sink = UnsafeTransfer(sink)
            core.loop.execute { sink.value.target.core.sourceEnded(sink.value.target.source, termination) }
        }
    }

    extension WebSocketCore {
        /// Registers a source, or ends it if no message can be sent.
        func begin(_ source: MessageSource) {
            if source.hasEnded { return }
            if let refusal { source.end(with: refusal) } else { sources.append(source) }
        }

        /// Sends a message of a source. Pauses the source while the peer does not read.
        func write(_ message: WebSocketMessage, from source: MessageSource) {
            guard state.acceptsMessages else { return }
            let (head, payload) = frame(message)
            sink.receive(head)
            if let payload { sink.receive(payload) }
            if output.isPaused, !source.subscription.isDisposed { sourcePauses.append(source.subscription.pause()) }
        }

        /// Closes after the last message of a source.
        func sourceEnded(_ source: MessageSource, _ termination: Termination<WebSocketError>) {
            source.hasEnded = true
            let outcome = source.outcome
            if let index = sources.firstIndex(where: { $0 === source }) {
                sources.remove(at: index)
            } else if let refusal {
                return outcome.fail(refusal)
            }
            switch termination {
            case .completed:
                close(WebSocketClose(.normal))
                connection.send(Bytes()).subscribe(onTermination: { termination in
                    switch termination {
                    case .completed: outcome.complete()
                    case .failed(let error):
                        outcome.fail(WebSocketError(.connection, error.message, cause: error))
                    }
                })
            case .failed(let error):
                outcome.fail(error)
                close(WebSocketClose(.internalError))
            }
        }
    }
#endif
