// SPDX-License-Identifier: MIT
#if NATS
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSupport

    extension ClientCore {
        /// The maximum time without confirmation before the client asks the server.
        private static let confirmingDelay = Duration.milliseconds(100)

        /// Publishes a message, or queues it until a connection exists. Refusals are counted and reported.
        ///
        /// - Parameter isLimited: Whether it is refused if the reconnect buffer has no room.
        func publish(_ message: NATSMessage, _ ticket: PublishTicket? = nil, isLimited: Bool = true) {
            if let end { return settle(ticket, .refused(end)) }
            if let fault = message.fault ?? lineFault(of: message) { return refuse(message, ticket, fault) }
            if isUp, waiting.isEmpty { return give(message, ticket) }
            let cost = message.cost
            let queued = waitingCost + inbox.waitingCost
            if isLimited, queued + cost > options.reconnectBuffer {
                let why = "cannot publish to \(message.subject): not connected, and \(queued) bytes are queued already"
                return refuse(message, ticket, NATSError(.bufferFull, why))
            }
            ticket?.state = .queued
            waiting.append((message, ticket))
            waitingCost += cost
        }

        /// Removes a message that waits for a connection, because its request has ended. Does nothing if it does not wait.
        func withdraw(_ message: NATSMessage, _ ticket: PublishTicket?) {
            guard !isOver, let ticket, case .queued = ticket.state else { return }
            ticket.state = .withdrawn
            waitingCost -= message.cost
            withdrawnCount += 1
            // The queue is rebuilt only when more than half of it is withdrawn, because that takes time for each message.
            if withdrawnCount * 2 <= waiting.count { return }
            for other in waiting.takeAll() {
                if case .withdrawn = other.ticket?.state { continue }
                waiting.append(other)
            }
            withdrawnCount = 0
        }

        /// Publishes the messages that waited for a connection.
        func publishWaiting() {
            while isUp, let first = waiting.popFirst() {
                if case .withdrawn = first.ticket?.state {
                    withdrawnCount -= 1
                    continue
                }
                waitingCost -= first.message.cost
                first.ticket?.state = .waiting
                give(first.message, first.ticket)
            }
            if isUp { letSourcesGoOn() }
        }

        private func lineFault(of message: NATSMessage) -> NATSError? {
            line.fault(of: ControlLine.length(publishing: message), message.subject)
        }

        /// Sends or refuses a message.
        private func give(_ message: NATSMessage, _ ticket: PublishTicket?) {
            guard let connection else { return }
            // The limits may have changed while the message was queued.
            if let error = lineFault(of: message) ?? connection.fault(of: message) {
                return refuse(message, ticket, error)
            }
            line.sent(ControlLine.length(publishing: message))
            let position = confirmations.give()
            statistics.withLock { $0.published += 1 }
            // It may end the connection, or let a source go on that closes the client.
            connection.write { $0.publish(message) }
            settle(ticket, .given(position: position))
            confirmSoon()
        }

        private func refuse(_ message: NATSMessage, _ ticket: PublishTicket?, _ error: NATSError) {
            statistics.withLock { $0.refused += 1 }
            let isLost = !events.hasBeenObserved && ticket?.isObserved != true
            if isLost { ticket?.unobserved = UnobservedFailure(error, of: "NATSClient.publish") }
            settle(ticket, .refused(error))
            events.send(.refused(error, subject: message.subject))
            // A message of `publish(from:)` has no result of its own.
            if isLost, ticket == nil { UnhandledFailure.report(error, of: "NATSClient.publish(from:)") }
        }

        func settle(_ ticket: PublishTicket?, _ state: PublishTicket.State) {
            guard let ticket else { return }
            ticket.state = state
            for completion in ticket.observers.takeAll() { observe(ticket, completion) }
            if case .refused(let error) = state { ticket.onRefusal?(error) }
        }

        /// Calls `completion` once: with `nil` when the server has confirmed the message, or with an error.
        func observe(_ ticket: PublishTicket, _ completion: @escaping @Sendable (NATSError?) -> Void) {
            ticket.unobserved?.observe()
            switch ticket.state {
            case .waiting, .queued: ticket.observers.append(completion)
            case .withdrawn: break
            case .refused(let error): completion(error)
            case .given(let position):
                if confirmations.wait(for: position, completion) {
                    completion(confirmations.outcome(of: position))
                } else {
                    confirm()
                }
            }
        }

        /// Calls `completion` when the server has processed all earlier publications and subscriptions.
        ///
        /// - Returns: The key of the call in `flushes`, from which it may be removed. `nil` if the client is over.
        @discardableResult
        func flush(_ completion: @escaping @Sendable (NATSError?) -> Void) -> Int? {
            if let end {
                completion(end)
                return nil
            }
            flushCount += 1
            let number = flushCount
            flushes[number] = (round + 1, completion)
            confirm()
            return number
        }

        // MARK: Confirming

        /// Arms a timer that asks the server for a confirmation.
        private func confirmSoon() {
            if isOver || isConfirming || confirmingTimer != nil { return }
            let core = UnsafeTransfer(Weak(self))
            let options = TimerOptions(keepsLoopAlive: false)
            confirmingTimer = loop.schedule(at: loop.now + Self.confirmingDelay, options: options) {
                core.value.object?.confirmingTimer = nil
                core.value.object?.confirm()
            }
        }

        /// Asks the server for a confirmation. At most one request is pending.
        func confirm() {
            // The answer must be behind the messages that still wait.
            guard !isConfirming, isUp, waiting.isEmpty, confirmations.isBehind || !flushes.isEmpty else { return }
            isConfirming = true
            round += 1
            let (round, position) = (round, confirmations.given)
            connection?.ping { [weak self] in self?.didConfirm(position, round) }
        }

        private func didConfirm(_ position: Int, _ round: Int) {
            isConfirming = false
            let (count, completions) = confirmations.confirm(upTo: position)
            statistics.withLock { $0.confirmed += count }
            let done = flushes.filter { $0.value.round <= round }
            flushes = flushes.filter { $0.value.round > round }
            for completion in completions { completion() }
            for (_, flush) in done.sorted(by: { $0.key < $1.key }) { flush.completion(nil) }
            if isOver { return }
            if confirmations.hasWaiters || !flushes.isEmpty {
                confirm()
            } else if confirmations.isBehind {
                confirmSoon()
            }
        }

        // MARK: Back-pressure

        /// Whether the bytes that wait for the server, or for a connection, have reached their limit.
        var isAboveHighWatermark: Bool {
            // A connection that comes up may complete a send while messages still wait for it.
            if let connection, isUp, waiting.isEmpty { return connection.waitingCount >= max(1, options.highWatermark) }
            return waitingCost + inbox.waitingCost >= min(options.highWatermark, options.reconnectBuffer / 2)
        }

        func letSourcesGoOn() {
            if !sources.arePaused || !isUp || !waiting.isEmpty { return }
            guard let connection, connection.waitingCount <= max(0, options.highWatermark / 4) else { return }
            for pause in sources.takePauses() { pause.dispose() }
        }
    }
#endif
