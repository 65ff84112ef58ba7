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

        /// Removes a feed with a callback once the messages that are on their way have been delivered.
        func drain(_ feed: NATSFeed) {
            guard isUp, !isOver, let native = feed.native, native.drain() else { return remove(feed) }
            feed.isDraining = true
        }

        /// Subscribes a feed at the server.
        func subscribe(_ feed: NATSFeed) {
            if isOver { return }
            // The limit may have been lowered since the feed was added. In that case no connection accepts the feed.
            if let fault = lineFault(of: feed) {
                remove(feed)
                return feed.onEnd(fault)
            }
            line.sent(ControlLine.length(subscribing: feed.subject, feed.queueGroup))
            if feed.hasCallback, feed.arrivals == nil { feed.arrivals = arrivals(of: feed) }
            do throws(NATSError) {
                feed.native = try handle?.subscribe(feed)
            } catch {
                // If the connection broke, the feed is subscribed again after the reconnect.
                guard isUp, error.code != .closed else { return }
                remove(feed)
                feed.onEnd(error)
            }
        }

        private func lineFault(of feed: NATSFeed) -> NATSError? {
            line.fault(of: ControlLine.length(subscribing: feed.subject, feed.queueGroup), feed.subject)
        }

        /// Makes the buffer of a feed's callback.
        private func arrivals(of feed: NATSFeed) -> NATSArrivals {
            let (core, feed, loop) = (UnsafeTransfer(Weak(self)), UnsafeTransfer(Weak(feed)), loop)
            return NATSArrivals {
                loop.execute {
                    guard let feed = feed.value.object else { return }
                    core.value.object?.takeArrivals(of: feed)
                }
            }
        }

        /// Delivers the messages that a callback has received. The feed may be removed during a delivery.
        func takeArrivals(of feed: NATSFeed) {
            guard let arrived = feed.arrivals?.takeAll() else { return }
            statistics.withLock { $0.received += arrived.messages.count }
            for message in arrived.messages where feed.index >= 0 { feed.onMessage(message) }
            reportUnreadable(arrived.unreadable, feed)
            if arrived.isOver, feed.isDraining { remove(feed) }
        }

        private func reportUnreadable(_ count: Int, _ feed: NATSFeed) {
            if count == 0 { return }
            let what = "\(count) messages to \(feed.subject) have headers that nats.c cannot read"
            events.send(.reported(NATSError(.malformed, what)))
        }

        /// Takes the messages that nats.c has just read, and delivers them.
        ///
        /// The number of new messages is known, so the search through the feeds stops after the last one. With messages for
        /// callbacks it does not stop.
        func receiveAll(_ handle: NATSHandle) {
            let count = handle.receivedCount
            var due = Int(clamping: count &- receivedCount)
            receivedCount = count
            if due == 0 { return }
            for feed in feeds {
                while due > 0, let message = feed.native?.next() {
                    due -= 1
                    statistics.withLock { $0.received += 1 }
                    feed.onMessage(message)
                }
                reportUnreadable(feed.native?.takeUnreadable() ?? 0, feed)
                if due == 0 { return }
            }
        }
    }
#endif
