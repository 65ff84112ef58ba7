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
            if let fault = groupFault(of: feed) ?? lineFault(of: feed) { return feed.onEnd(fault) }
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
            unsubscribe(feed)
        }

        /// Removes a feed once the messages that are on their way have been delivered.
        func drain(_ feed: NATSFeed) {
            guard isUp, !isOver, let number = feed.number, !feed.isDraining else { return remove(feed) }
            feed.isDraining = true
            connection?.write { $0.unsubscribe(number) }
            // The server sends all messages of the subscription before it answers.
            connection?.ping { [weak self, weak feed] in if let feed { self?.remove(feed) } }
        }

        /// Subscribes a feed at the server.
        func subscribe(_ feed: NATSFeed) {
            // A callback may have closed the client, or removed the feed.
            if isOver || feed.index < 0 { return }
            // The limit may have been lowered since the feed was added. In that case no connection accepts the feed.
            if let fault = lineFault(of: feed) {
                remove(feed)
                return feed.onEnd(fault)
            }
            line.sent(ControlLine.length(subscribing: feed.subject, feed.queueGroup))
            lastNumber += 1
            let number = lastNumber
            feed.number = number
            subscribed[number] = feed
            connection?.write { $0.subscribe(feed.subject, feed.queueGroup, as: number) }
        }

        private func unsubscribe(_ feed: NATSFeed) {
            guard let number = feed.number.take() else { return }
            subscribed[number] = nil
            if isUp, !feed.isDraining { connection?.write { $0.unsubscribe(number) } }
        }

        private func groupFault(of feed: NATSFeed) -> NATSError? {
            guard let group = feed.queueGroup else { return nil }
            if !group.isEmpty, group.utf8.allSatisfy({ $0 > 32 && $0 != 127 }) { return nil }
            let why = "the queue group \(group.debugDescription) is empty or contains whitespace"
            return NATSError(.invalidArgument, "cannot subscribe to \(feed.subject): \(why)")
        }

        private func lineFault(of feed: NATSFeed) -> NATSError? {
            line.fault(of: ControlLine.length(subscribing: feed.subject, feed.queueGroup), feed.subject)
        }

        /// Delivers a message to the feed of its subscription. Messages that are on their way when a subscription ends have
        /// none.
        func receive(_ delivery: Delivery, for number: Int) {
            guard let feed = subscribed[number] else { return }
            statistics.withLock { $0.received += 1 }
            let headers = HeaderBlock.headers(of: delivery.headers)
            let message = NATSMessage(
                delivery.payload,
                to: delivery.subject,
                reply: delivery.reply,
                headers: headers ?? [:]
            )
            feed.onMessage(message)
            if headers == nil {
                events.send(.reported(NATSError(.malformed, "a message to \(delivery.subject) has malformed headers")))
            }
        }
    }
#endif
