// SPDX-License-Identifier: MIT
#if HTTP
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets
    import Synchronization

    /// The use of a connection for one command. If the last reference is released before the reply is complete, the
    /// connection is reset. So every failure, and every client that leaves, ends its command.
    final class Lease: Sendable {
        private enum State {
            /// The command has not been sent completely.
            case sending
            case awaitingReply
            case returned
        }

        private let connection: Connection
        private let slot: OriginPool.Slot
        private let pool: OriginPool
        private let state = Mutex(State.sending)

        init(of connection: Connection, _ slot: OriginPool.Slot, _ pool: OriginPool) {
            self.connection = connection
            self.slot = slot
            self.pool = pool
        }

        deinit {
            if state.withLock({ $0 }) != .returned { connection.abort() }
        }

        // MARK: Commands

        /// Whether the kernel has accepted the whole command.
        var hasSentCommand: Bool { state.withLock { $0 } != .sending }

        /// Sends a command, and receives the first line of its reply. Subscribe to the value after it has arrived.
        ///
        /// - Parameters:
        ///   - command: The command, without its value.
        ///   - value: The value behind it. A server that does not read pauses it.
        func exchange(_ command: Bytes, value: Signal<Bytes, GatewayError>? = nil) -> Signal<Reply, GatewayError> {
            let (timeout, loop) = (pool.timeout, pool.loop)
            let slow = GatewayError.slow("the key-value server did not reply within \(timeout)")
            let limit = Signal<Void, Never>.timer(after: timeout, on: loop).setFailureType(to: GatewayError.self)
            let patience = sending(command, value).then(limit.flatMap { Signal<Reply, GatewayError>.fail(slow) })
            // Subscribed first: a server may refuse a value that is still being sent.
            let reply = received("before it replied")
                .scanMap(into: ReplyReader()) { $0.read($1) }
                .attemptMap { step throws(GatewayError) -> Reply? in
                    switch step {
                    case .incomplete: return nil
                    case .reply(let reply): return reply
                    case .violation(let text): throw .violation(text)
                    }
                }
                .compactMap { $0 }
            // `collect` sends when everything before it has been released. So the connection can be received from again.
            return reply.merge(with: patience).take(1).collect().map { $0[0] }
        }

        /// Sends the command. Completes when the kernel has accepted its last byte.
        private func sending(_ command: Bytes, _ value: Signal<Bytes, GatewayError>?) -> Signal<Never, GatewayError> {
            let connection = connection
            @Sendable func send(_ bytes: Bytes) -> Signal<Never, GatewayError> {
                connection.send(bytes).mapError { .connection($0) }
            }
            // Signals are lazy, and a call of `send` is not.
            let head = Signal<Bytes, GatewayError>(just: command)
            let all = value.map { head.concat($0).concat(value: "\r\n") } ?? head
            return all.flatMap(.concat) { send($0) }.concat(
                Signal { [self] emitter, _ in
                    state.withLock { if $0 == .sending { $0 = .awaitingReply } }
                    emitter.complete()
                }
            )
        }

        /// The value behind the first line of a reply. It has exactly `length` bytes, or fails.
        func value(behind reply: Reply, length: Int) -> Signal<Bytes, GatewayError> {
            let (connection, timeout) = (connection, pool.timeout)
            let begins = Signal<Bytes, GatewayError> { emitter, _ in
                connection.setTimeouts(ConnectionTimeouts(readStalled: timeout))
                if !reply.rest.isEmpty { emitter.send(reply.rest) }
                emitter.complete()
            }
            return
                begins.concat(received("inside a value"))
                .scanMap(into: ValueReader(length: length)) { $0.read($1) }
                .take(while: { !$0.isLast }, includingLast: true)
                .attemptMap { part throws(GatewayError) -> Bytes in
                    switch part {
                    case .bytes(let bytes), .last(let bytes): return bytes
                    case .violation: throw .violation("the key-value server did not end a value with CRLF")
                    }
                }
                .filter { !$0.isEmpty }
                // The value before it has been released then, so the pool can receive.
                .concat(
                    Signal { [self] emitter, _ in
                        connection.setTimeouts(ConnectionTimeouts(writeStalled: timeout))
                        end()
                        emitter.complete()
                    }
                )
        }

        /// Returns the connection to the pool, after a reply without a value.
        func finish(_ reply: Reply) {
            if reply.rest.isEmpty { end() }
        }

        private func end() {
            let isComplete = state.withLock { state in
                // A server that has replied before it has the whole command would take the rest for another one.
                guard state == .awaitingReply else { return false }
                state = .returned
                return true
            }
            if isComplete { pool.takeBack(connection, slot) }
        }

        private func received(_ moment: String) -> Signal<Bytes, GatewayError> {
            let end = GatewayError.violation("the key-value server closed the connection \(moment)")
            return connection.received.mapError { GatewayError.connection($0) }.concat(.fail(end))
        }
    }
#endif
