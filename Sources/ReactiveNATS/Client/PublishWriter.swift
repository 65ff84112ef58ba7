#if NATS
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSupport

    /// Publishes what a signal sends, and holds the signal back while the server takes no more.
    final class PublishWriter<Failure: Error>: Observer {
        typealias Value = NATSMessage

        private let core: Confined<ClientCore>
        private let loop: any LoopScheduler
        private let subscription: SignalSubscription
        private let end: Subject<Never, NATSError>
        private let handOver = HandOver()

        init(
            _ core: Confined<ClientCore>,
            _ loop: any LoopScheduler,
            _ subscription: SignalSubscription,
            _ end: Subject<Never, NATSError>
        ) {
            self.core = core
            self.loop = loop
            self.subscription = subscription
            self.end = end
        }

        /// On the loop, before the first value: the client's end ends this too.
        func start() {
            // Held as parts: the client is not to keep what keeps the client.
            let (subscription, end) = (subscription, end)
            let refuse: @Sendable (NATSError) -> Void = { error in
                subscription.dispose()
                end.fail(error)
            }
            if let error = core.value.end { return refuse(error) }
            core.value.writers[ObjectIdentifier(end)] = refuse
        }

        func receive(_ value: NATSMessage) {
            if handOver.isThere(on: loop) { return write(value) }
            handOver.send(to: loop, holding: subscription) { [self] in write(value) }
        }

        func receive(termination: Termination<Failure>) {
            if handOver.isThere(on: loop) { return finish(termination) }
            loop.execute { [self] in finish(termination) }
        }

        private func write(_ message: NATSMessage) {
            // The client has told its end already.
            if core.value.isOver { return }
            core.value.publish(message)
            if core.value.isAboveHighWatermark { core.value.holdBack(subscription) }
        }

        private func finish(_ termination: Termination<Failure>) {
            let core = core.value
            guard core.writers.removeValue(forKey: ObjectIdentifier(end)) != nil else { return }
            switch termination {
            case .completed:
                core.flush { [end] error in
                    if let error { end.fail(error) } else { end.complete() }
                }
            case .failed(let failure):
                let error = NATSError(.sourceFailed, "the signal being published failed: \(failure)")
                end.fail(failure as? NATSError ?? error)
            }
        }
    }
#endif
