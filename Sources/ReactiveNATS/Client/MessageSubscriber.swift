// SPDX-License-Identifier: MIT
#if NATS
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets
    import ReactiveSupport

    /// One subscriber to a subject, with its queue and limits. It belongs to the client's loop.
    final class MessageSubscriber {
        /// The maximum number of queued messages that are delivered in one job.
        private static let mostAtOnce = 1024

        private let core: ClientCore
        private let subject: String
        private let limits: NATSPendingLimits
        private let policy: SlowSubscriberPolicy
        private let emitter: Emitter<NATSMessage, NATSError>
        private let subscription: SignalSubscription
        /// The client owns it.
        private weak var feed: NATSFeed?
        private var queue = FIFO<NATSMessage>()
        private var queuedBytes = 0
        private var end: NATSError?
        private var isDelivering = false
        private var unreported = 0

        init(
            _ core: ClientCore,
            _ subject: String,
            _ limits: NATSPendingLimits,
            _ policy: SlowSubscriberPolicy,
            _ emitter: Emitter<NATSMessage, NATSError>,
            _ subscription: SignalSubscription
        ) {
            self.core = core
            self.subject = subject
            self.limits = limits
            self.policy = policy
            self.emitter = emitter
            self.subscription = subscription
        }

        /// Subscribes at the server. The feed retains this object.
        func start(_ queueGroup: String?) {
            if subscription.isDisposed { return }
            let feed = NATSFeed(subject, queueGroup, onMessage: { self.receive($0) }, onEnd: { self.finish($0) })
            self.feed = feed
            core.add(feed)
        }

        func stop() {
            if let feed { core.remove(feed) }
            feed = nil
            queue = FIFO()
            queuedBytes = 0
        }

        private func receive(_ message: NATSMessage) {
            if end != nil { return }
            if !subscription.isPauseReported, queue.isEmpty { return emitter.send(message) }
            let size = message.size
            if !hasRoom(for: size), !makeRoom(for: size) { return }
            queue.append(message)
            queuedBytes += size
        }

        private func hasRoom(for size: Int) -> Bool {
            queue.count < max(1, limits.messages) && queuedBytes <= max(0, limits.bytes) - size
        }

        /// Applies the policy. Returns true if the queue then has room.
        private func makeRoom(for size: Int) -> Bool {
            switch policy {
            case .dropOldest where size <= limits.bytes:
                var count = 0
                while !hasRoom(for: size), takeFirst() != nil { count += 1 }
                dropped(count)
                return true
            case .dropOldest, .dropNewest: dropped(1)
            case .fail:
                dropped(1)
                let feed = feed
                let why = "the subscriber to \(subject) is too slow: \(queue.count) messages wait"
                finish(NATSError(.slowSubscriber, why))
                if let feed { core.remove(feed) }
            }
            return false
        }

        private func takeFirst() -> NATSMessage? {
            let first = queue.popFirst()
            if let first { queuedBytes -= first.size }
            return first
        }

        /// Counts dropped messages immediately, and reports them once per turn.
        private func dropped(_ count: Int) {
            core.statistics.withLock { $0.dropped += count }
            let isReporting = unreported > 0
            unreported += count
            if isReporting { return }
            let subscriber = UnsafeTransfer(self)
            core.loop.execute {
                let count = subscriber.value.unreported
                subscriber.value.unreported = 0
                subscriber.value.core.events.send(.dropped(count, subject: subscriber.value.subject))
            }
        }

        /// Delivers queued messages. Called after a resume, possibly from inside a delivery.
        func deliver() {
            if isDelivering { return }
            isDelivering = true
            defer { isDelivering = false }
            for _ in 0..<Self.mostAtOnce {
                if subscription.isPauseReported || subscription.isDisposed { return }
                guard let message = takeFirst() else {
                    if let end { emitter.fail(end) }
                    return
                }
                emitter.send(message)
            }
            let subscriber = UnsafeTransfer(self)
            core.loop.execute { subscriber.value.deliver() }
        }

        private func finish(_ error: NATSError) {
            if end != nil { return }
            end = error
            feed = nil
            if queue.isEmpty, !isDelivering { emitter.fail(error) }
        }
    }
#endif
