// SPDX-License-Identifier: MIT
#if NATS
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSupport

    extension ClientCore {
        /// The maximum time without confirmation before the client asks the server.
        private static let confirmingDelay = Duration.milliseconds(100)
        /// The timeout of a confirmation.
        private static let confirmingTime = Duration.seconds(10)

        /// Publishes a message, or queues it until a connection exists. Refusals are counted and reported.
        func publish(_ message: NATSMessage, _ ticket: PublishTicket? = nil) {
            if let end { return settle(ticket, .refused(end)) }
            if let fault = message.fault ?? lineFault(of: message) { return refuse(message, ticket, fault) }
            if isUp, waiting.isEmpty, give(message, ticket) { return }
            let cost = message.cost
            let queued = waitingCost + inbox.waitingCost
            if queued + cost > options.reconnectBuffer {
                let why = "cannot publish to \(message.subject): not connected, and \(queued) bytes are queued already"
                return refuse(message, ticket, NATSError(.bufferFull, why))
            }
            waiting.append((message, ticket))
            waitingCost += cost
        }

        /// Publishes the messages that waited for a connection.
        func publishWaiting() {
            while isUp, let first = waiting.popFirst() {
                waitingCost -= first.message.cost
                if give(first.message, first.ticket) { continue }
                waitingCost += first.message.cost
                let others = waiting.takeAll()
                waiting.append(first)
                waiting.append(contentsOf: others)
                break
            }
            if isUp { letSourcesGoOn() }
        }

        private func lineFault(of message: NATSMessage) -> NATSError? {
            line.fault(of: ControlLine.length(publishing: message), message.subject)
        }

        /// Sends or refuses a message. Returns false if the connection has just broken, so that the message must wait for
        /// the next one.
        private func give(_ message: NATSMessage, _ ticket: PublishTicket?) -> Bool {
            // The limit may have been lowered while the message was queued.
            if let fault = lineFault(of: message) {
                refuse(message, ticket, fault)
                return true
            }
            line.sent(ControlLine.length(publishing: message))
            do throws(NATSError) {
                try handle?.publish(message)
            } catch {
                // A thread of nats.c may close the connection after `isUp` was read. A report of that follows.
                if error.code == .closed { return false }
                refuse(message, ticket, error)
                return true
            }
            statistics.withLock { $0.published += 1 }
            settle(ticket, .given(position: confirmations.give()))
            confirmSoon()
            return true
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
            case .waiting: ticket.observers.append(completion)
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
        func flush(_ completion: @escaping @Sendable (NATSError?) -> Void) {
            if let end { return completion(end) }
            flushes.append((round + 1, completion))
            confirm()
        }

        // MARK: Confirming

        /// Arms a timer that asks the server for a confirmation.
        private func confirmSoon() {
            if isConfirming || confirmingTimer != nil { return }
            let core = UnsafeTransfer(Weak(self))
            let options = TimerOptions(keepsLoopAlive: false)
            confirmingTimer = loop.schedule(at: loop.now + Self.confirmingDelay, options: options) {
                core.value.object?.confirmingTimer = nil
                core.value.object?.confirm()
            }
        }

        /// Asks the server for a confirmation. At most one request is pending. It blocks a thread of the pool.
        func confirm() {
            guard !isConfirming, isUp, let handle, confirmations.isBehind || !flushes.isEmpty else { return }
            isConfirming = true
            round += 1
            let (round, position, core, loop) = (round, confirmations.given, UnsafeTransfer(self), loop)
            let generation = handle.link.liveGeneration
            onPool {
                let isConfirmed = handle.flush(Self.confirmingTime)
                loop.execute {
                    // After a reconnect, the answer does not cover messages of the earlier connection.
                    let isSame = handle.link.liveGeneration == generation
                    core.value.didConfirm(isConfirmed && isSame ? position : nil, round)
                }
            }
        }

        private func didConfirm(_ position: Int?, _ round: Int) {
            isConfirming = false
            if let position {
                let (count, completions) = confirmations.confirm(upTo: position)
                statistics.withLock { $0.confirmed += count }
                let done = flushes.filter { $0.round <= round }
                flushes.removeAll { $0.round <= round }
                for completion in completions { completion() }
                for flush in done { flush.completion(nil) }
            }
            if isOver { return }
            if confirmations.hasWaiters || !flushes.isEmpty, position != nil {
                confirm()
            } else if confirmations.isBehind || !flushes.isEmpty {
                confirmSoon()
            }
        }

        // MARK: Back-pressure

        /// Whether the bytes that wait for the server, or for a connection, have reached their limit.
        var isAboveHighWatermark: Bool {
            isUp
                ? handle.map { $0.bufferedBytes >= options.highWatermark } ?? false
                : waitingCost + inbox.waitingCost >= min(options.highWatermark, options.reconnectBuffer / 2)
        }

        func letSourcesGoOn() {
            if !sources.arePaused || !isUp { return }
            guard let handle, handle.bufferedBytes <= max(0, options.highWatermark / 4) else { return }
            for pause in sources.takePauses() { pause.dispose() }
        }
    }
#endif
