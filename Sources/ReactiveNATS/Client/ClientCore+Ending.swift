// SPDX-License-Identifier: MIT
#if NATS
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSupport

    /// Closing a client.
    extension ClientCore {
        /// Closes the client. Earlier publications are sent first.
        func close() {
            if isOver { return }
            let error = NATSError(.closed, "the client of \(name) has been closed")
            finish(error, .closed(nil))
        }

        /// Closes the client with its final state. The state is set before callbacks run, because they may call any
        /// member.
        func finish(_ error: NATSError, _ last: NATSState) {
            if isOver { return }
            end = error
            let (feeds, unsent, sources) = (feeds, waiting.takeAll(), sources.takeAll())
            // Released last: on a disposed loop, the release of a feed ends its subscription, which changes the list.
            defer { withExtendedLifetime(feeds) {} }
            self.feeds = []
            (waitingCost, withdrawnCount) = (0, 0)
            confirmingTimer?.dispose()
            nextAttempt?.dispose()
            nextAttempt = nil
            stay?.dispose()
            stay = nil
            let wasUp = isUp
            // Messages that arrive from now on would be lost. A queue group gives them to another member.
            for number in subscribed.keys where wasUp { connection?.write { $0.unsubscribe(number) } }
            subscribed = [:]
            state.value = last
            for feed in feeds { feed.onEnd(error) }
            inbox.end(error)
            for waiting in unsent { settle(waiting.ticket, .refused(error)) }
            sources.end(with: error)
            guard wasUp, let connection else { return didClose(nil) }
            // Earlier publications are sent and confirmed, or the time is over.
            let (position, core) = (confirmations.given, UnsafeTransfer(self))
            closingLimit = loop.schedule(after: Self.closingTime) { core.value.didClose(nil) }
            connection.ping { [weak self] in self?.didClose(position) }
        }

        /// The time for the last publications of a client that closes.
        private static let closingTime = Duration.seconds(2)

        /// Closes the connection. `confirmed` is the last publication that the server has confirmed, or `nil` if it does not
        /// answer.
        func didClose(_ confirmed: Int?) {
            if hasClosed { return }
            hasClosed = true
            closingLimit?.dispose()
            connection.take()?.close(isOrderly: confirmed != nil)
            if let confirmed {
                let (count, completions) = confirmations.confirm(upTo: confirmed)
                statistics.withLock { $0.confirmed += count }
                for completion in completions { completion() }
            }
            let (count, completions) = confirmations.lose()
            statistics.withLock { $0.unconfirmed += count }
            if count > 0 { events.send(.unconfirmed(count)) }
            for completion in completions { completion() }
            let flushes = flushes
            self.flushes = [:]
            for (_, flush) in flushes.sorted(by: { $0.key < $1.key }) { flush.completion(end) }
            events.complete()
        }

        /// Releases everything without notifying subscribers, because the loop has been disposed.
        ///
        /// Subscriptions retain the client, and the client's lists retain the subscriptions. Emptying the lists breaks
        /// these cycles. The contents of the lists are released last, because their release may run user code.
        func abandon() {
            connection.take()?.close(isOrderly: false)
            let lists = (feeds, subscribed, confirmations, flushes, waiting.takeAll())
            (feeds, subscribed) = ([], [:])
            confirmations = Confirmations()
            flushes = [:]
            (waitingCost, withdrawnCount) = (0, 0)
            inbox.abandon()
            sources.takeAll().abandon()
            withExtendedLifetime(lists) {}
        }
    }
#endif
