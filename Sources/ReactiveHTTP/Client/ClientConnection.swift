// SPDX-License-Identifier: MIT
#if HTTP
    import HTTPTypes
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets
    import ReactiveSupport

    /// A connection of a client: it sends one request at a time and delivers its response. Only the connection's loop
    /// accesses it.
    ///
    /// Its subscription to the received bytes retains it. So the pool's references are weak, and a disposed loop releases
    /// everything.
    final class ClientConnection: ExchangeConnection {
        static var message: String { "request" }

        /// What receives the body of the response.
        enum ResponseBody {
            case none
            /// The response has been delivered, and its body has no subscriber. Nothing parses until it gets one.
            case unread(Weak<ReceivedBody>)
            case read(ReceivedBody)
            /// Nothing reads the body. Its bytes are dropped, so that the connection can be used again.
            case discarded(Int)
        }

        let connection: Connection
        let loop: any LoopScheduler
        let pool: ClientPool
        let queue: OriginQueue
        let peer: HTTPPeer
        /// Receives the bytes for the server.
        let sink: Sink<Bytes, SocketError>
        /// The subscription of `sink`. The connection pauses it while the server does not read.
        let output: SignalSubscription
        let input = SignalSubscription()

        // Safe: the methods of these values call no other code, so accesses cannot overlap.
        @safe @exclusivity(unchecked)
        var state = ExchangeState()
        @safe @exclusivity(unchecked)
        var parser: MessageParser
        @safe @exclusivity(unchecked)
        var body = ResponseBody.none
        /// The number of bytes of the response's body that have not been taken. `nil` means unknown.
        var rest: Int?
        /// The current request, until its exchange has ended.
        var call: ClientCall?
        /// The request body on its way.
        var sending: OutgoingBody?
        /// Its number in the order in which connections became idle.
        var idleNumber = 0

        private(set) var inputHasEnded = false
        /// The instant at which the limit of the current wait is reached.
        var deadline: LoopInstant?
        /// The timer of the deadline. It may fire earlier, so a deadline that is postponed needs no new timer.
        var armed: (instant: LoopInstant, timer: any Disposable)?
        var wait = Wait.nothing
        var isParsing = false
        /// Whether the connection is paused because the rest of a chunk waits.
        var holdsInput = false

        /// Starts on an open connection. Returns `nil` if the connection has failed.
        static func start(_ connection: Connection, _ pool: ClientPool, _ queue: OriginQueue) -> ClientConnection? {
            let parts = UnsafeTransfer((pool: pool, queue: queue, slot: Slot()))
            let requests: Signal<Bytes, SocketError> = .starting { sink, output in
                if output.isDisposed { return }
                let (pool, queue, slot) = parts.value
                let own = ClientConnection(connection, pool, queue, sink, output)
                slot.connection = own
                own.start()
            }
            // The connection reports its end itself.
            connection.send(from: requests).subscribe(onTermination: { _ in })
            guard let own = parts.value.slot.connection.take(), !own.state.isClosed else { return nil }
            return own
        }

        private final class Slot {
            var connection: ClientConnection?
        }

        private init(
            _ connection: Connection,
            _ pool: ClientPool,
            _ queue: OriginQueue,
            _ sink: Sink<Bytes, SocketError>,
            _ output: SignalSubscription
        ) {
            self.connection = connection
            self.pool = pool
            self.queue = queue
            self.sink = sink
            self.output = output
            loop = connection.loop
            peer = HTTPPeer(address: connection.remoteAddress, localAddress: connection.localAddress)
            parser = MessageParser(.responses, limits: pool.configuration.limits)
        }

        private func start() {
            let own = UnsafeTransfer(self)
            output.onChange { change in
                let loop = own.value.loop
                switch change {
                case .over where loop.isDisposed: own.value.abandon()
                case .over: loop.runOrExecute { own.value.outputEnded() }
                case .paused, .resumed: loop.runOrExecute { own.value.updateWait() }
                case .failuresMayPass: break
                }
            }
            if state.isClosed { return }
            // The limits of the exchange find a server that has left. A body that its subscriber reads slowly must not end.
            connection.setTimeouts(ConnectionTimeouts(writeStalled: timeouts.idle, halfClosed: nil))
            connection.received.attach(TargetSink(ReceivedTarget(self)), in: input)
        }

        var timeouts: HTTPClientTimeouts { pool.configuration.timeouts }

        // MARK: Receiving

        func receive(_ chunk: Bytes) {
            if state.isClosed { return }
            // A response that no request has asked for: another request must not receive it.
            if state.isIdle { return fail(HTTPError(.malformed, "\(serverName) sent bytes without a request")) }
            state.receiveBytes()
            parser.feed(chunk)
            if wait == .body { setDeadline(after: timeouts.idle) }
            work()
        }

        func receivedEnd(_ termination: Termination<SocketError>) {
            switch termination {
            case .completed:
                inputHasEnded = true
                if state.isIdle { finish() } else { work() }
            case .failed(let error):
                let failure = Self.failure(error, "the connection with \(serverName) failed")
                // The other protocol closes its connection itself, perhaps while bytes are still to be sent.
                if state.response == .upgraded { _ = close(failure) } else { fail(failure) }
            }
        }

        func settle() { updateWait() }

        var mayParse: Bool {
            switch state.response {
            case .awaited: return true
            case .body, .upgraded:
                switch body {
                case .none, .discarded: return true
                case .unread: return false
                case .read(let body): return body.acceptsValues
                }
            case .idle, .complete, .closed: return false
            }
        }

        var upgraded: ReceivedBody? {
            if state.response == .upgraded, case .read(let body) = body { body } else { nil }
        }

        func endInput() throws(HTTPError) {
            if state.response == .upgraded {
                upgraded?.end(.completed)
                body = .none
                // The output may have ended first.
                if output.isDisposed { outputEnded() }
            } else if let event = try parser.finish() {
                try take(event)
            } else {
                fail(HTTPError(.incomplete, "\(serverName) ended its stream before it responded"))
            }
        }

        // MARK: Ending

        /// Closes the connection without a loss: no exchange is under way, or nothing needs the rest of it.
        func finish() {
            let error = HTTPError(.closed, "this side has closed the connection with \(serverName)")
            if close(error) { connection.close() }
        }

        /// Resets the connection, because the server has failed.
        func fail(_ error: HTTPError) {
            var error = error
            error.isOfOrigin = true
            if close(error) { connection.abort() }
        }

        /// Resets the connection, because this side does not need the response or has failed.
        func cancel(_ error: HTTPError) {
            if close(error) { connection.abort() }
        }

        private func outputEnded() {
            let error = HTTPError(.connection, "the connection with \(serverName) has ended")
            guard state.response == .upgraded else { return fail(error) }
            // The input has ended before, so nothing else removes the connection from the pool.
            if inputHasEnded, case .none = body { _ = close(error) }
        }

        /// Ends everything that depends on the connection. Later calls do nothing and return false.
        private func close(_ error: HTTPError) -> Bool {
            if state.isClosed { return false }
            let last = state
            state.close()
            deadline = nil
            armed.take()?.timer.dispose()
            input.dispose()
            sending.take()?.subscription.dispose()
            _ = parser.takeRest()
            let (lastBody, lastCall) = (body, call.take())
            body = .none
            pool.closed(self, last)
            switch lastBody {
            case .read(let body): body.end(.failed(error))
            case .unread(let weak): weak.object?.end(.failed(error))
            case .none, .discarded: break
            }
            lastCall?.failed(error, isStale: last.isReused && !last.hasReceived)
            return true
        }

        /// Releases everything without notifying the caller, because the loop has been disposed.
        private func abandon() {
            if state.isClosed { return }
            state.close()
            input.dispose()
            sending.take()?.subscription.dispose()
            // Released last, because a release may run user code (law 3).
            let last = (call.take(), body)
            body = .none
            if case .read(let body) = last.1 { body.abandonSubscriber() }
            withExtendedLifetime(last) {}
        }

        var serverName: String { peer.address?.description ?? queue.origin.description }

        static func failure(_ error: SocketError, _ what: String) -> HTTPError {
            HTTPError(error.code == .timedOut ? .timedOut : .connection, "\(what): \(error)", cause: error)
        }
    }
#endif
