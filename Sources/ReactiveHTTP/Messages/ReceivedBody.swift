// SPDX-License-Identifier: MIT
#if HTTP
    import HTTPTypes
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets
    import ReactiveSupport

    /// The connection that a body arrives on.
    protocol BodyOwner: AnyObject {
        /// Called on the loop when the body can be delivered again, or has a subscriber, or has lost it.
        func bodyChanged(_ body: ReceivedBody)

        /// Called on the loop when the body's subscriber has paused.
        func bodyPaused()

        /// Called on the loop when a body has been released that had no subscriber. A server retains its bodies, so it is
        /// never called there.
        func unreadBodyReleased()
    }

    extension BodyOwner {
        func bodyPaused() {}
        func unreadBodyReleased() {}
    }

    /// The body of a received message. It keeps no bytes: while no subscriber accepts them, the connection does not parse
    /// them.
    ///
    /// Only the loop of the connection accesses it, except ``length``, ``signal(of:)`` and ``trailers``.
    final class ReceivedBody {
        private enum State {
            /// There is no subscriber, and the connection waits for one.
            case unread
            case read(Sink<Bytes, HTTPError>, SignalSubscription)
            /// The subscriber has been disposed.
            case abandoned
            case ended(Termination<HTTPError>)
        }

        let length: Int?
        private let loop: any LoopScheduler
        /// The connection, which retains the body. A disposed loop ends no body, so a strong reference would be a cycle.
        private weak var owner: (any BodyOwner)?
        @safe @exclusivity(unchecked)
        private var state = State.unread
        @safe @exclusivity(unchecked)
        private var delivery = DeliveryState<HTTPError>()
        private let fields = Lock<HTTPFields?>(nil)

        init(length: Int?, loop: any LoopScheduler, owner: any BodyOwner) {
            self.length = length
            self.loop = loop
            self.owner = owner
        }

        deinit {
            guard case .unread = state, let owner, !loop.isDisposed else { return }
            let own = UnsafeTransfer(owner)
            // In a job, because the release may happen anywhere.
            loop.execute { own.value.unreadBodyReleased() }
        }

        /// The trailer fields, after the body has completed. Any thread may read them.
        var trailers: HTTPFields? { fields.withLock { $0 } }

        /// Whether there has been no subscriber.
        var isUnread: Bool { if case .unread = state { true } else { false } }

        /// Whether there is a subscriber, even a paused one.
        var isRead: Bool { if case .read = state { true } else { false } }

        /// Whether a subscriber accepts bytes now.
        var acceptsBytes: Bool {
            if case .read(_, let subscription) = state { subscription.acceptsValues } else { false }
        }

        func receive(_ bytes: Bytes) {
            guard case .read(let sink, let subscription) = state, !subscription.isDisposed else { return }
            delivery.begin()
            sink.receive(bytes)
            if let termination = delivery.end(), !subscription.isDisposed { sink.receive(termination: termination) }
        }

        /// Terminates the signal, after the delivery that is under way. If it had no subscriber, a later one receives the
        /// same termination.
        func end(_ termination: Termination<HTTPError>, trailers: HTTPFields? = nil) {
            let last = state
            if case .ended = last { return }
            if let trailers { fields.withLock { $0 = trailers } }
            state = .ended(isUnread ? termination : .failed(Self.alreadyRead))
            owner = nil
            if case .read(let sink, let subscription) = last, !subscription.isDisposed, !delivery.defers(termination) {
                sink.receive(termination: termination)
            }
            // Released last, because its release may run user code (law 3).
            withExtendedLifetime(last) {}
        }

        /// Releases the subscriber without a termination, because the loop has been disposed. The subscriber may retain
        /// the body.
        func abandon() {
            let last = state
            if case .read = last { state = .abandoned }
            // Released last, because its release may run user code (law 3).
            withExtendedLifetime(last) {}
        }

        // MARK: Subscribing

        /// The signal of a body. Any thread may subscribe.
        static func signal(of body: UnsafeTransfer<ReceivedBody>) -> Signal<Bytes, HTTPError> {
            .starting { sink, subscription in
                if subscription.isDisposed { return }
                let sink = subscription.restoring(sink)
                let loop = body.value.loop
                if let error = loop.refusal(as: HTTPError.self) { return sink.receive(termination: .failed(error)) }
                // The reference is weak, to avoid a cycle: the body retains the subscription.
                let own = UnsafeTransfer(Weak(body.value))
                subscription.onChange { change in
                    switch change {
                    case .resumed: loop.runOrExecute { own.value.object?.resumed() }
                    case .over: loop.runOrExecute { own.value.object?.dropEndedReader() }
                    case .paused: loop.runOrExecute { own.value.object?.paused() }
                    case .failuresMayPass: break
                    }
                }
                let reader = UnsafeTransfer((sink: sink, subscription: subscription))
                loop.runOrExecute { body.value.begin(reader.value.sink, reader.value.subscription) }
            }
        }

        private func begin(_ sink: Sink<Bytes, HTTPError>, _ subscription: SignalSubscription) {
            if subscription.isDisposed { return }
            switch state {
            case .unread:
                state = .read(sink, subscription)
                owner?.bodyChanged(self)
            case .read, .abandoned: sink.receive(termination: .failed(Self.alreadyRead))
            case .ended(let termination): sink.receive(termination: termination)
            }
        }

        private static let alreadyRead = HTTPError(.alreadyReceiving, "the body has or had a subscriber: it allows one")

        private func paused() {
            if isRead, !acceptsBytes { owner?.bodyPaused() }
        }

        private func resumed() {
            if acceptsBytes { owner?.bodyChanged(self) }
        }

        private func dropEndedReader() {
            guard case .read(_, let subscription) = state, subscription.isDisposed else { return }
            // Released last, because its release may run user code (law 3).
            let last = state
            state = .abandoned
            owner?.bodyChanged(self)
            withExtendedLifetime(last) {}
        }
    }
#endif
