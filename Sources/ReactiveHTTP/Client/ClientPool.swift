// SPDX-License-Identifier: MIT
#if HTTP
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets
    import ReactiveSupport

    /// The connections of a client on one loop. Only the loop accesses it, except the constants.
    final class ClientPool {
        let loop: any LoopScheduler
        let configuration: HTTPClientConfiguration
        let ledger: ClientLedger
        /// The number of the loop in the client's group.
        let number: Int
        private var queues: [Origin: OriginQueue] = [:]
        private var open = IdentityTable<Weak<ClientConnection>>()
        private var idleCount = 0
        private var lastIdleNumber = 0
        private var phase = ClientLedger.Phase.open

        init(
            _ loop: any LoopScheduler,
            _ configuration: HTTPClientConfiguration,
            _ ledger: ClientLedger,
            number: Int
        ) {
            self.loop = loop
            self.configuration = configuration
            self.ledger = ledger
            self.number = number
        }

        private var limit: Int { max(1, configuration.connectionsPerOrigin) }

        /// - Throws: `noTLS`.
        func check(_ request: PreparedRequest) throws(HTTPError) {
            if !request.origin.isSecure || configuration.security != nil { return }
            throw HTTPError(
                .noTLS,
                "cannot send a request to \(request.origin): set `security` of the configuration to `client` of a "
                    + "TLSContext of ReactiveTLS"
            )
        }

        // MARK: Requests

        /// Sends the request on an idle connection or on a new one, or lets it wait.
        func add(_ call: ClientCall) {
            // It may arrive after the stop: its job, or that of its redirect, had not run yet.
            if phase == .stopped { return call.fail(Self.stopped) }
            var queue = queue(of: call.request.origin)
            if !call.needsNewConnection {
                while let connection = popIdle(queue) {
                    if connection.isUsable { return connection.begin(call) }
                    connection.finish()
                }
            }
            if queue.openCount + queue.attempts.count >= limit {
                if call.needsNewConnection, let connection = popIdle(queue) {
                    connection.finish()
                } else if queue.unservedCount >= max(0, configuration.waitingRequests) {
                    return call.fail(
                        HTTPError(
                            .overloaded,
                            "\(queue.unservedCount) requests to \(queue.origin) wait already, which is the limit"
                        )
                    )
                }
            }
            // The end of its last connection has removed the queue.
            queue = self.queue(of: queue.origin)
            queue.waiting.append(call)
            topUp(queue)
        }

        /// Removes a request that waits for a connection.
        func remove(_ call: ClientCall) {
            guard let queue = queues[call.request.origin] else { return }
            queue.waiting.removeAll { $0 === call }
            while queue.unservedCount < 0, let attempt = queue.attempts.popLast() { attempt.dispose() }
            dropIfEmpty(queue)
        }

        private func queue(of origin: Origin) -> OriginQueue {
            if let queue = queues[origin] { return queue }
            let queue = OriginQueue(origin)
            queues[origin] = queue
            return queue
        }

        private func dropIfEmpty(_ queue: OriginQueue) {
            guard queue.isEmpty, !queue.isToppingUp else { return }
            if queues[queue.origin] === queue { queues[queue.origin] = nil }
        }

        // MARK: Connecting

        /// Connects for the requests that wait without an attempt, up to the limit.
        ///
        /// An attempt that fails immediately calls this method again. The inner call returns at once, and the outer one
        /// continues. So many failures do not deepen the stack.
        private func topUp(_ queue: OriginQueue) {
            if queue.isToppingUp { return }
            queue.isToppingUp = true
            while queue.unservedCount > 0, queue.openCount + queue.attempts.count < limit { connect(queue) }
            queue.isToppingUp = false
            dropIfEmpty(queue)
        }

        private func connect(_ queue: OriginQueue) {
            var settings = configuration.connecting
            settings.timeout = configuration.timeouts.connect
            settings.transformer = queue.origin.isSecure ? configuration.security?(queue.origin.host) : nil
            settings = SpokenProtocols.client.restricted(settings)
            let attempt = SignalSubscription()
            queue.attempts.append(attempt)
            let parts = UnsafeTransfer((pool: self, queue: queue, attempt: attempt))
            Connection.connect(
                toHost: queue.origin.host,
                port: queue.origin.port,
                loop: loop,
                resolver: configuration.resolver,
                settings: settings
            ).subscribe(
                in: attempt,
                onValue: { connection in
                    let (pool, queue, attempt) = parts.value
                    pool.connected(connection, queue, attempt)
                },
                onTermination: { termination in
                    guard case .failed(let error) = termination else { return }
                    let (pool, queue, attempt) = parts.value
                    pool.failed(error, queue, attempt)
                }
            )
        }

        private func connected(_ connection: Connection, _ queue: OriginQueue, _ attempt: SignalSubscription) {
            queue.attempts.removeAll { $0 === attempt }
            ledger.opened(number)
            let (ledger, number) = (ledger, number)
            connection.ended.subscribe(onTermination: { _ in ledger.closed(number) })
            guard let own = ClientConnection.start(connection, self, queue) else {
                connection.abort()
                return failed(SocketError(.closed, "the connection has ended immediately"), queue, attempt)
            }
            queue.openCount += 1
            open[ObjectIdentifier(own)] = Weak(own)
            give(own)
        }

        private func failed(_ error: SocketError, _ queue: OriginQueue, _ attempt: SignalSubscription) {
            queue.attempts.removeAll { $0 === attempt }
            var failure = ClientConnection.failure(error, "cannot connect to \(queue.origin)")
            failure.isOfOrigin = true
            queue.popWaiting()?.fail(failure)
            topUp(queue)
        }

        // MARK: Connections

        /// A connection has ended its exchange.
        func release(_ connection: ClientConnection) {
            if let next = connection.queue.waiting.first {
                // A request that failed on a used connection needs a new one.
                if next.needsNewConnection || !connection.isUsable { return connection.finish() }
            }
            give(connection)
        }

        private func give(_ connection: ClientConnection) {
            let queue = connection.queue
            if let call = queue.popWaiting() {
                connection.begin(call)
                while queue.unservedCount < 0, let attempt = queue.attempts.popLast() { attempt.dispose() }
            } else if phase != .open {
                connection.finish()
            } else {
                park(connection)
            }
        }

        private func park(_ connection: ClientConnection) {
            if configuration.idleConnections < 1 { return connection.finish() }
            if idleCount >= configuration.idleConnections { closeOldest() }
            lastIdleNumber += 1
            connection.idleNumber = lastIdleNumber
            idleCount += 1
            connection.queue.idle.append(Weak(connection))
            connection.updateWait()
        }

        private func popIdle(_ queue: OriginQueue) -> ClientConnection? {
            guard let connection = queue.popIdle() else { return nil }
            idleCount -= 1
            return connection
        }

        private func closeOldest() {
            let oldest = queues.values.compactMap { $0.idle.first?.object }.min { $0.idleNumber < $1.idleNumber }
            oldest?.finish()
        }

        /// A connection has been closed. `last` was its state before.
        func closed(_ connection: ClientConnection, _ last: ExchangeState) {
            let queue = connection.queue
            guard open.removeValue(forKey: ObjectIdentifier(connection)) != nil, last.response != .upgraded else {
                return
            }
            if last.isIdle, queue.removeIdle(connection) { idleCount -= 1 }
            queue.openCount -= 1
            topUp(queue)
        }

        /// A connection carries another protocol. Only ``stop()`` still concerns it.
        func upgraded(_ connection: ClientConnection) {
            connection.queue.openCount -= 1
            topUp(connection.queue)
        }

        // MARK: Draining

        /// Closes the connections without a request, and lets no new one stay open.
        func drain() {
            if phase == .open { phase = .draining }
            for queue in queues.values {
                while let connection = popIdle(queue) { connection.finish() }
            }
        }

        /// Fails all requests, and resets all connections.
        func stop() {
            drain()
            phase = .stopped
            let waiting = queues.values.flatMap(\.waiting)
            // First, because disposing an attempt may run code of the user, which must find no request to serve.
            for queue in queues.values { queue.waiting = [] }
            for queue in queues.values {
                for attempt in queue.attempts { attempt.dispose() }
                queue.attempts = []
            }
            for connection in open.values { connection.object?.cancel(Self.stopped) }
            for call in waiting { call.fail(Self.stopped) }
            queues = [:]
        }

        private static let stopped = HTTPError(.closed, "the client has been stopped")
    }
#endif
