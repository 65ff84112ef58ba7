// SPDX-License-Identifier: MIT
#if NATS
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets
    import ReactiveSupport

    /// Connecting and reconnecting.
    extension ClientCore {
        /// Begins the first attempt, or closes the client if an address is invalid.
        func start() {
            do throws(NATSError) {
                for server in servers { addresses.append(try ServerAddress(server)) }
            } catch {
                return finish(error, .closed(error))
            }
            // One secure address makes all connections secure.
            if options.security == nil, addresses.contains(where: \.isSecure) { options.security = NATSSecurity() }
            connect()
        }

        /// Begins an attempt, which tries all servers in random order until one accepts the client.
        private func connect() {
            if isOver { return }
            isConnecting = true
            untried = (addresses.shuffled()[...], 0, nil)
            if ClientKeys.areInFiles(options) { return readKeys() }
            use(Result { () throws(NATSError) in try ClientKeys(options) })
        }

        /// Reads the files of the credentials and certificates on a thread of the pool. With an address, this is for a
        /// server that requires TLS although the options do not.
        private func readKeys(for address: ServerAddress? = nil) {
            stay = loop.schedule(at: .distantFuture, options: TimerOptions()) {}
            let (core, loop) = (UnsafeTransfer(Weak(self)), loop)
            var options = options
            if address != nil { options.security = NATSSecurity() }
            onPool { [options] in
                let keys = Result { () throws(NATSError) in try ClientKeys(options) }
                loop.execute { core.value.object?.use(keys, for: address) }
            }
        }

        private func use(_ keys: Result<ClientKeys, NATSError>, for address: ServerAddress? = nil) {
            stay?.dispose()
            stay = nil
            if isOver { return }
            switch keys {
            case .success(let keys):
                if let address { return open(address, keys) }
                self.keys = keys
                tryNext()
            case .failure(let error):
                guard address != nil else { return didFail(error, isRejected: false) }
                untried.last = error
                tryNext()
            }
        }

        /// Connects to the next server of the attempt.
        private func tryNext() {
            guard let address = untried.servers.popFirst(), let keys else {
                let error = untried.last ?? NATSError(.noServer, "cannot connect: there is no server")
                return didFail(error, isRejected: untried.rejections == addresses.count)
            }
            open(address, keys)
        }

        private func open(_ address: ServerAddress, _ keys: ClientKeys) {
            let connection = NATSConnection(to: address, loop, options, keys, owner: self)
            self.connection = connection
            connection.open(resolver)
        }

        /// Closes the client if the first attempt failed or all servers rejected the client. Otherwise it reconnects. A TLS
        /// handshake that fails is no rejection: the connection may have broken.
        private func didFail(_ error: NATSError, isRejected: Bool) {
            isConnecting = false
            if state.value == .connecting || isRejected { return finish(error, .closed(error)) }
            connectAgain(error)
        }

        private func connectAgain(_ reason: NATSError) {
            if let most = options.maximumReconnects, attempts >= most { return finish(reason, .closed(reason)) }
            attempts += 1
            let jitter = Int64.random(in: 0...max(0, options.reconnectJitter.saturatedNanoseconds))
            let core = UnsafeTransfer(Weak(self))
            nextAttempt = loop.schedule(
                at: loop.now + options.reconnectWait + .nanoseconds(jitter),
                options: TimerOptions()
            ) {
                core.value.object?.nextAttempt = nil
                core.value.object?.connect()
            }
        }

        private func becomeUp() {
            isConnecting = false
            if state.value == .reconnecting { statistics.withLock { $0.reconnects += 1 } }
            attempts = 0
            line.reset()
            for feed in feeds where feed.number == nil { subscribe(feed) }
            publishWaiting()
            inbox.linkIsUp(self)
            // A callback of a refusal may have closed the client, and the connection may have ended.
            if isOver || !isUp { return }
            state.value = .connected
            for feed in feeds { feed.onUp?() }
            confirm()
        }

        private func becomeDown() {
            connection = nil
            subscribed = [:]
            isConfirming = false
            for feed in feeds {
                feed.number = nil
                // The rest of its messages does not arrive.
                if feed.isDraining { remove(feed) }
            }
            let (count, completions) = confirmations.lose()
            if count > 0 {
                statistics.withLock { $0.unconfirmed += count }
                events.send(.unconfirmed(count))
            }
            // A subscriber to the event may have closed the client.
            if !isOver { state.value = .reconnecting }
            for completion in completions { completion() }
            inbox.linkIsDown()
        }

        // MARK: Threads

        /// The delay before the pool asks for a thread again.
        private static let threadDelay = Duration.milliseconds(100)

        /// Runs `work` on a thread of the pool. If the system refuses to create a thread, this asks again until there is one.
        private func onPool(_ work: @escaping @Sendable () -> Void) {
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
    }

    extension ClientCore: NATSConnectionOwner {
        func connectionIsUp(_ connection: NATSConnection) {
            if connection === self.connection, !isOver { becomeUp() }
        }

        func connection(_ connection: NATSConnection, hasReceived delivery: Delivery, for number: Int) {
            if connection === self.connection, !isOver { receive(delivery, for: number) }
        }

        func connection(_ connection: NATSConnection, reports error: NATSError) {
            guard connection === self.connection, !isOver else { return }
            line.learn(from: error)
            events.send(.reported(error))
        }

        func connectionNeedsTLS(_ connection: NATSConnection) {
            if connection === self.connection, !isOver { readKeys(for: connection.address) }
        }

        func connectionHasRoom(_ connection: NATSConnection) {
            if connection === self.connection { letSourcesGoOn() }
        }

        func connection(_ connection: NATSConnection, hasEnded error: NATSError) {
            guard connection === self.connection else { return }
            if isOver { return didClose(nil) }
            let reason = NATSError(error.code, "the connection to \(connection.address.shown): \(error.message)")
            if isConnecting {
                // A rejection says more than an attempt that found no server.
                if untried.last?.code != .wrongCredentials { untried.last = reason }
                if error.code == .wrongCredentials { untried.rejections += 1 }
                return tryNext()
            }
            line.learn(from: error)
            if error.code != .noServer { events.send(.reported(reason)) }
            if isOver { return }
            becomeDown()
            if isOver { return }
            connectAgain(reason)
        }
    }
#endif
