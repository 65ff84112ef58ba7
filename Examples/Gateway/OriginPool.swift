// SPDX-License-Identifier: MIT
#if HTTP
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets
    import Synchronization

    /// The connections of one loop to the key-value server. A connection carries one command at a time.
    ///
    /// It lives as long as the program.
    final class OriginPool: Sendable {
        /// The maximum number of requests that wait for a connection.
        static let waitingLimit = 1000

        /// The right to have one of the connections. It is free when the last reference is released.
        final class Slot: Sendable {
            private let pool: OriginPool

            init(of pool: OriginPool) {
                self.pool = pool
            }

            deinit { pool.slotIsFree() }
        }

        private typealias Caller = Emitter<Lease, GatewayError>

        private struct Waiting: Sendable {
            var emitter: Caller
            var subscription: SignalSubscription
        }

        private struct Idle: Sendable {
            var connection: Connection
            var slot: Slot
            /// Notices when the server closes the connection, or sends bytes that no command has asked for.
            var watch: SignalSubscription
        }

        private struct State {
            var idle: [Idle] = []
            var waiting: [Waiting] = []
            /// The number of slots in use.
            var slots = 0
        }

        let loop: any LoopScheduler
        let timeout: Duration
        private let address: SocketAddress
        private let limit: Int
        private let state = Mutex(State())

        init(of address: SocketAddress, on loop: any LoopScheduler, limit: Int, timeout: Duration) {
            self.address = address
            self.loop = loop
            self.limit = limit
            self.timeout = timeout
        }

        /// Sends one connection: an idle one, a new one, or the next that another request returns. Subscribe on the loop.
        func lease() -> Signal<Lease, GatewayError> {
            let signal = Signal<Lease, GatewayError> { [self] emitter, subscription in
                let idle = state.withLock { $0.idle.popLast() }
                if let idle {
                    idle.watch.dispose()
                    emitter.send(Lease(of: idle.connection, idle.slot, self))
                    return emitter.complete()
                }
                let waiting = Waiting(emitter: emitter, subscription: subscription)
                if let slot = newSlot() { return connect(slot, waiting) }
                let (isFull, last) = state.withLock { state -> (Bool, [Waiting]) in
                    var last: [Waiting] = []
                    if state.waiting.count >= Self.waitingLimit {
                        last = state.waiting
                        state.waiting.removeAll { $0.subscription.isDisposed }
                    }
                    if state.waiting.count >= Self.waitingLimit { return (true, last) }
                    state.waiting.append(waiting)
                    return (false, last)
                }
                // Requests are released outside the lock, because that may run other code.
                withExtendedLifetime(last) {}
                if isFull { emitter.fail(.overloaded) }
            }
            let slow = GatewayError.slow("no connection with the key-value server was free within \(timeout)")
            return signal.timeout(after: timeout, raising: slow, on: loop)
        }

        /// The next request that still waits.
        private func takeWaiting() -> Waiting? {
            while let next = state.withLock({ $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }) {
                if !next.subscription.isDisposed { return next }
            }
            return nil
        }

        private func newSlot() -> Slot? {
            let isFree = state.withLock { state in
                if state.slots >= limit { return false }
                state.slots += 1
                return true
            }
            return isFree ? Slot(of: self) : nil
        }

        private func connect(_ slot: Slot, _ waiting: Waiting) {
            Connection.connect(to: address, loop: loop, settings: ConnectSettings(timeout: timeout))
                .mapError { GatewayError.connection($0) }
                .map { [self] connection in
                    // A server that accepts no byte of a value for this time.
                    connection.setTimeouts(ConnectionTimeouts(writeStalled: timeout))
                    return Lease(of: connection, slot, self)
                }
                .subscribe(waiting.emitter, in: waiting.subscription)
        }

        /// Takes back a connection whose reply is complete, and gives it to the next request. Call it on the loop.
        func takeBack(_ connection: Connection, _ slot: Slot) {
            if let next = takeWaiting() {
                next.emitter.send(Lease(of: connection, slot, self))
                return next.emitter.complete()
            }
            let watch = SignalSubscription()
            state.withLock { $0.idle.append(Idle(connection: connection, slot: slot, watch: watch)) }
            connection.received.subscribe(
                in: watch,
                onValue: { [self] _ in drop(connection) },
                onTermination: { [self] _ in drop(connection) }
            )
        }

        private func drop(_ connection: Connection) {
            let dropped = state.withLock { state in
                let index = state.idle.firstIndex { $0.connection === connection }
                return index.map { state.idle.remove(at: $0) }
            }
            dropped?.watch.dispose()
            connection.abort()
        }

        private func slotIsFree() {
            state.withLock { $0.slots -= 1 }
            // In a job, because a slot may be released anywhere.
            loop.execute { [self] in
                guard state.withLock({ !$0.waiting.isEmpty }), let slot = newSlot(), let next = takeWaiting() else {
                    return
                }
                connect(slot, next)
            }
        }
    }
#endif
