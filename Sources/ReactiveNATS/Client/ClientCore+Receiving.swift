// SPDX-License-Identifier: MIT
#if NATS
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSupport

    extension ClientCore {
        /// Subscribes a feed until it is removed or the client closes.
        func add(_ feed: NATSFeed) {
            if let end { return feed.onEnd(end) }
            if let fault = NATSMessage.fault(ofSubject: feed.subject, allowsWildcards: true) {
                return feed.onEnd(fault)
            }
            if let fault = lineFault(of: feed) { return feed.onEnd(fault) }
            feed.index = feeds.count
            feeds.append(feed)
            if isUp { subscribe(feed) }
        }

        func remove(_ feed: NATSFeed) {
            guard feed.index >= 0, feed.index < feeds.count, feeds[feed.index] === feed else { return }
            feeds.swapAt(feed.index, feeds.count - 1)
            feeds.removeLast()
            if feed.index < feeds.count { feeds[feed.index].index = feed.index }
            feed.index = -1
            let native = feed.native.take()
            if isUp { native?.end() }
        }

        /// Subscribes a feed at the server.
        func subscribe(_ feed: NATSFeed) {
            // The limit may have been lowered since the feed was added. In that case no connection accepts the feed.
            if let fault = lineFault(of: feed) {
                remove(feed)
                return feed.onEnd(fault)
            }
            line.sent(ControlLine.length(subscribing: feed.subject, feed.queueGroup))
            do throws(NATSError) {
                feed.native = try handle?.subscribe(feed)
            } catch {
                // If the connection broke, the feed is subscribed again after the reconnect.
                guard isUp else { return }
                remove(feed)
                feed.onEnd(error)
            }
        }

        private func lineFault(of feed: NATSFeed) -> NATSError? {
            line.fault(of: ControlLine.length(subscribing: feed.subject, feed.queueGroup), feed.subject)
        }

        /// Takes the messages that nats.c has just read, and delivers them.
        ///
        /// The number of new messages is known, so the search through the feeds stops after the last one.
        func receiveAll(_ handle: NATSHandle) {
            let count = handle.receivedCount
            var due = Int(clamping: count &- receivedCount)
            receivedCount = count
            if due == 0 { return }
            statistics.withLock { $0.received += due }
            for feed in feeds {
                while due > 0, let message = feed.native?.next() {
                    due -= 1
                    feed.onMessage(message)
                }
                if let count = feed.native?.takeUnreadable(), count > 0 {
                    let what = "\(count) messages to \(feed.subject) have headers that nats.c cannot read"
                    events.send(.reported(NATSError(.malformed, what)))
                }
                if due == 0 { return }
            }
        }
    }
#endif
