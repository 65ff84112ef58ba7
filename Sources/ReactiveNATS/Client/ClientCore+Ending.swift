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
            let position = confirmations.given
            let (feeds, unsent, sources) = (feeds, waiting.takeAll(), sources.takeAll())
            // Released last: on a disposed loop, the release of a feed ends its subscription, which changes the list.
            defer { withExtendedLifetime(feeds) {} }
            self.feeds = []
            waitingCost = 0
            confirmingTimer?.dispose()
            nextAttempt?.dispose()
            nextAttempt = nil
            if let lookUp = lookUp.take() {
                lookUp.dispose()
                isConnecting = false
            }
            // The attempt ends early.
            if isConnecting { link?.interrupt() }
            let wasUp = isUp
            // Ended here, because nats.c does not retain a subscription for which the loop reads a message.
            for feed in feeds {
                let native = feed.native.take()
                if wasUp { native?.end() }
            }
            state.value = last
            for feed in feeds { feed.onEnd(error) }
            inbox.end(error)
            for waiting in unsent { settle(waiting.ticket, .refused(error)) }
            sources.end(with: error)
            guard let handle else { return didClose(nil) }
            let core = UnsafeTransfer(self)
            let loop = loop
            onPool {
                let isFlushed = wasUp && handle.flush(.seconds(2))
                loop.execute { core.value.close(handle, isFlushed ? position : nil) }
            }
        }

        /// Closes the connection on a thread of the pool. The loop stops reading first, because nats.c reads without its lock.
        private func close(_ handle: NATSHandle, _ confirmed: Int?) {
            stopReading()
            let core = UnsafeTransfer(self)
            let loop = loop
            onPool {
                handle.close()
                loop.execute { core.value.didClose(confirmed) }
            }
        }

        func stopReading() {
            upGeneration = 0
            watch?.dispose()
            watch = nil
            watchedGeneration = 0
        }

        private func didClose(_ confirmed: Int?) {
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
            self.flushes = []
            for flush in flushes { flush.completion(end) }
            events.complete()
            // A pending attempt to connect still reports its result. That report releases the connection.
            if !isConnecting { release() }
        }

        func release() {
            stopReading()
            stay?.dispose()
            stay = nil
            link?.closeRetired()
            handle = nil
        }

        /// Releases everything without notifying subscribers, because the loop has been disposed.
        ///
        /// Subscriptions retain the client, and the client's lists retain the subscriptions. Emptying the lists breaks
        /// these cycles. The contents of the lists are released last, because their release may run user code.
        func abandon() {
            stopReading()
            // The client may live on. Without references to the link, the loop's duplicate of the socket is closed.
            link.take()?.interrupt()
            // A wait for a confirmation retains the connection, and nothing reads the confirmation. Meanwhile the server would
            // send messages that are lost. No timer can ask again for a thread, because the loop is disposed.
            if let handle = handle.take() { pool.execute { handle.close() } }
            lookUp.take()?.dispose()
            let lists = (feeds, confirmations, flushes, waiting.takeAll())
            feeds = []
            confirmations = Confirmations()
            flushes = []
            waitingCost = 0
            inbox.abandon()
            sources.takeAll().abandon()
            withExtendedLifetime(lists) {}
        }
    }
#endif
