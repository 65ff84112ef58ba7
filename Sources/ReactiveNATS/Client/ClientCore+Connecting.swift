// SPDX-License-Identifier: MIT
#if NATS
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets
    import ReactiveSupport

    /// Connecting and reconnecting.
    extension ClientCore {
        func connect() {
            if isOver { return }
            isConnecting = true
            stayAlive()
            if let resolver { return connect(by: resolver) }
            let core = UnsafeTransfer(self)
            connect(to: servers) { result in core.value.didConnect(result) }
        }

        /// Lets nats.c connect to one of some servers on a thread of the pool. The result retains this object.
        ///
        /// - Parameters:
        ///   - servers: The addresses.
        ///   - host: The host name that the certificate must contain, unless the options state another one. `nil` means
        ///     the host of the server.
        ///   - completion: Receives the result on the loop.
        func connect(
            to servers: [String],
            as host: String? = nil,
            _ completion: @escaping @Sendable (Result<NATSHandle, NATSError>) -> Void
        ) {
            let loop = loop
            let weakCore = UnsafeTransfer(Weak(self))
            let reports = Reports()
            let link = NATSLink(
                patience: max(.seconds(1), options.pingInterval * 3),
                changed: { loop.runOrExecute { weakCore.value.object?.updateWatch() } },
                report: { report in
                    guard reports.add(report) else { return }
                    loop.execute { weakCore.value.object?.look(at: reports) }
                }
            )
            self.reports = reports
            self.link = link
            let (options, pool) = (options, pool)
            let attempt = makeAttempt(servers, completion)
            onPool {
                let result = Result { () throws(NATSError) in
                    try NATSHandle.connect(to: servers, as: host, options, link, pool)
                }
                loop.execute { attempt.value.end(result) }
            }
        }

        /// Makes an attempt to connect with a time limit, because nats.c waits for a TLS handshake without one.
        private func makeAttempt(
            _ servers: [String],
            _ completion: @escaping (Result<NATSHandle, NATSError>) -> Void
        ) -> UnsafeTransfer<ConnectAttempt> {
            let attempt = UnsafeTransfer(ConnectAttempt(self, completion))
            // For each server twelve: nats.c waits for the connection, for the server's first line, and for the reply to its
            // own. It does so twice with a signature (`areSigned`), and for each of the two addresses that a name usually has.
            let steps = Duration.milliseconds(options.connectTimeout.wholeMilliseconds) * (12 * servers.count)
            let limit = steps + .milliseconds(options.handshakeTimeout.wholeMilliseconds)
            let options = TimerOptions(keepsLoopAlive: false)
            let why = "connecting to \(servers.joined(separator: ", ")): no answer within \(limit)"
            attempt.value.timer = loop.schedule(at: loop.now + limit, options: options) { [loop] in
                // After a stall of the loop, the result may be queued already.
                loop.execute { attempt.value.giveUp(why) }
            }
            return attempt
        }

        func didConnect(_ result: Result<NATSHandle, NATSError>) {
            isConnecting = false
            switch result {
            case .success(let handle):
                self.handle = handle
                if isOver { return release() }
                becomeUp()
                if upGeneration != 0 || isOver { return }
                // The connection broke before `handle` was set, so its reports were ignored.
                letGoOfConnection()
                didFail(NATSError(.noServer, "the connection to \(name) was closed immediately"))
            case .failure(let error):
                if isOver { release() } else { didFail(error) }
            }
        }

        /// Closes the client if the first attempt failed or the server rejected the client. Otherwise it reconnects. A TLS
        /// handshake that fails is no rejection: the connection may have broken.
        private func didFail(_ error: NATSError) {
            if state.value == .connecting || error.code == .wrongCredentials { return finish(error, .closed(error)) }
            connectAgain(error)
        }

        private func connectAgain(_ reason: NATSError) {
            if let most = options.maximumReconnects, attempts >= most { return finish(reason, .closed(reason)) }
            attempts += 1
            let jitter = Int64.random(in: 0...max(0, options.reconnectJitter.saturatedNanoseconds))
            let core = UnsafeTransfer(Weak(self))
            nextAttempt = loop.schedule(after: options.reconnectWait + .nanoseconds(jitter)) {
                core.value.object?.nextAttempt = nil
                core.value.object?.connect()
            }
        }

        private func look(at reports: Reports) {
            // Reports of an earlier connection are ignored.
            guard reports === self.reports else { return }
            let (all, missed) = reports.takeAll()
            for report in all {
                switch report {
                case .down: becomeDown()
                case .closed(let reason):
                    if let reason {
                        line.learn(from: reason)
                        // A server states its reason before it closes the connection.
                        if reason.code != .noServer { events.send(.reported(reason)) }
                    }
                    becomeDown()
                    if isOver || isConnecting || nextAttempt != nil { break }
                    letGoOfConnection()
                    connectAgain(reason ?? NATSError(.noServer, "the connection to \(name) has been closed"))
                case .error(let error):
                    line.learn(from: error)
                    events.send(.reported(error))
                }
            }
            if missed > 0 { events.send(.missed(missed)) }
        }

        private func becomeUp() {
            guard !isOver, handle != nil, let link else { return }
            // The link may already be down. In that case a report of that follows.
            upGeneration = link.liveGeneration
            guard upGeneration != 0 else { return }
            if state.value == .reconnecting { statistics.withLock { $0.reconnects += 1 } }
            attempts = 0
            unanswered.writes = 0
            line.reset()
            updateWatch()
            stay?.dispose()
            stay = nil
            for feed in feeds where feed.native == nil && !feed.isDraining { subscribe(feed) }
            publishWaiting()
            inbox.linkIsUp(self)
            // A callback of a refusal may have closed the client.
            if isOver { return }
            state.value = .connected
            for feed in feeds { feed.onUp?() }
            confirm()
        }

        private func becomeDown() {
            guard !isOver, state.value == .connected else { return }
            upGeneration = 0
            updateWatch()
            stayAlive()
            for feed in feeds { feed.native = nil }
            receivedCount = 0
            let (count, completions) = confirmations.lose()
            state.value = .reconnecting
            if count > 0 {
                statistics.withLock { $0.unconfirmed += count }
                events.send(.unconfirmed(count))
            }
            for completion in completions { completion() }
            inbox.linkIsDown()
        }

        /// Replaces the connection, because the server is silent.
        func dropConnection() {
            let silent = handle
            becomeDown()
            if isOver { return }
            letGoOfConnection()
            // A wait for a confirmation retains the connection, and would delay those of the next one.
            if let silent { onPool { silent.close() } }
            connectAgain(NATSError(.noServer, "the connection to \(name): the server answers no pings"))
        }

        /// Releases the connection. A thread of the pool destroys it, and its later reports are ignored.
        func letGoOfConnection() {
            stopReading()
            link?.closeRetired()
            link = nil
            reports = nil
            handle = nil
        }

        /// The delay before the pool asks for a thread again.
        private static let threadDelay = Duration.milliseconds(100)

        /// Runs `work` on a thread of the pool. If the system refuses to create a thread, this asks again until there is one.
        func onPool(_ work: @escaping @Sendable () -> Void) {
            if case .failure = pool.submit(work) { askForThread() }
        }

        private func askForThread() {
            let core = UnsafeTransfer(Weak(self))
            loop.schedule(after: Self.threadDelay) {
                guard let core = core.value.object, case .failure(let stall) = core.pool.submit({}) else { return }
                stall.handle.dispose()
                core.askForThread()
            }
        }

        /// Keeps `runUntilIdle` of the loop running while there is no watch.
        private func stayAlive() {
            guard stay == nil else { return }
            stay = loop.schedule(at: .distantFuture, options: TimerOptions()) {}
        }
    }
#endif
