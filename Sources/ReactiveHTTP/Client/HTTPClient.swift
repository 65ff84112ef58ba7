// SPDX-License-Identifier: MIT
#if HTTP
    public import ReactiveCommands
    import ReactiveCore
    public import ReactiveSignals
    public import ReactiveSockets
    import ReactiveSupport

    /// An HTTP/1.1 client: it sends requests over connections that it keeps open and uses again.
    ///
    /// ```swift
    /// let client = HTTPClient(loops: loops)
    /// let response = try await client.send(.get("http://example.com/")).first()
    /// ```
    ///
    /// Each loop has its own connections. A request that is sent by a job of one of the client's loops uses that loop. Any
    /// other request uses the next loop in rotation. Any thread may use every member.
    ///
    /// Releasing the client closes the connections that carry no request. Requests that have begun continue.
    public final class HTTPClient: Sendable {
        /// The loops to which the connections belong.
        public let loops: LoopGroup
        /// The settings.
        public let configuration: HTTPClientConfiguration
        private let pools: [UnsafeTransfer<ClientPool>]
        private let ledger: ClientLedger

        /// Creates a client. It opens no connection before the first request.
        ///
        /// - Parameters:
        ///   - loops: The loops to which the connections belong. The caller runs them, unless they own their threads.
        ///   - configuration: The settings.
        public init(loops: LoopGroup, configuration: HTTPClientConfiguration = HTTPClientConfiguration()) {
            self.loops = loops
            self.configuration = configuration
            let ledger = ClientLedger(loops.loops)
            self.ledger = ledger
            pools = loops.loops.enumerated().map { number, loop in
                UnsafeTransfer(ClientPool(loop, configuration, ledger, number: number))
            }
        }

        deinit {
            for pool in pools { pool.value.loop.runOrExecute { pool.value.drain() } }
        }

        /// Sends a request. Each subscription sends it once, sends the response as soon as its head has arrived, and
        /// completes.
        ///
        /// The response is delivered on the loop that carries the request. ``HTTPBody/signal`` of its body pauses the
        /// server while its subscriber is paused. Read the body, or release the response: a connection is free for the
        /// next request when the body has ended. If the response is released without a subscriber of the body, the client
        /// drops up to 256 KiB, and otherwise closes the connection.
        ///
        /// Disposing the subscription before the response arrives cancels the request and closes its connection. Disposing
        /// the subscription of the body does the same if more than 256 KiB are left.
        ///
        /// The body of a response to HEAD is empty, and its length is unknown: the field `Content-Length` is that of GET.
        ///
        /// The client writes `Host`, `Content-Length`, `Transfer-Encoding` and `Connection`. It writes `Content-Length: 0`
        /// for a POST, PUT or PATCH without content, unless an ``HTTPServer`` has received the request without a length. A
        /// `Host` field of the request replaces the authority in `Host`. If a connection that had served another request fails before the first byte
        /// of the response, an idempotent request (RFC 9110 section 9.2.2) is sent once more on a new one, unless its
        /// body is a signal that has been subscribed to. No other request is repeated.
        ///
        /// If the loop is disposed, the signal does not terminate. A request that waits for a connection then retains its
        /// subscriber until the client is released.
        ///
        /// The signal fails with:
        ///
        /// - `invalidRequest` or `noTLS` if the request cannot be sent, and `notImplemented` for CONNECT.
        /// - `overloaded` if too many requests wait.
        /// - `connection` if the connection cannot be established or fails. ``HTTPError/cause`` is the `SocketError`.
        /// - `timedOut` at a limit of ``HTTPClientTimeouts``.
        /// - `incomplete`, `malformed`, `fieldsTooLarge`, `contentTooLarge`, `notImplemented` or `versionNotSupported` if
        ///   the server violates the protocol or a limit.
        /// - `redirectFailed` if a redirect cannot be followed.
        /// - `sourceFailed` or `lengthMismatch` if the source of the request's body fails. If it fails with an
        ///   ``HTTPError``, the signal fails with that.
        /// - `closed` if the client has been stopped, or its loop has been disposed before the subscription. If the loop
        ///   is a main loop that could not be created, the code is `connection`.
        ///
        /// - Parameter request: The request. Its head needs a scheme and an authority, as ``HTTPMessage/get(_:fields:)``
        ///   creates it.
        /// - Returns: A cold signal of one response.
        public func send(_ request: HTTPRequestMessage) -> Signal<HTTPResponseMessage, HTTPError> {
            Signal { [self] emitter, subscription in
                let pool = pool()
                let (loop, number, ledger) = (pool.value.loop, pool.value.number, ledger)
                if let error = loop.refusal(as: HTTPError.self) { return emitter.fail(error) }
                guard ledger.begin(number) else {
                    return emitter.fail(HTTPError(.closed, "the client has been stopped"))
                }
                subscription.onDispose { ledger.end(number) }
                do throws(HTTPError) {
                    let prepared = try PreparedRequest(request)
                    try pool.value.check(prepared)
                    let call = UnsafeTransfer(ClientCall(prepared, pool.value, emitter))
                    // The reference is weak: the call retains the emitter, which retains the subscription. A disposed loop
                    // releases the call.
                    let weak = UnsafeTransfer(Weak(call.value))
                    subscription.onDispose { loop.runOrExecute { weak.value.object?.cancel() } }
                    loop.runOrExecute { call.value.start(in: pool.value) }
                } catch {
                    emitter.fail(error)
                }
            }
        }

        /// The client as a command: each execution sends its input, and sends the response.
        ///
        /// An execution ends when its response has been delivered. Cancelling it earlier cancels the request.
        ///
        /// - Parameter strategy: How many requests may run at the same time, and what happens to the others.
        public func command(
            _ strategy: CommandStrategy = .concurrent()
        ) -> Command<HTTPRequestMessage, HTTPResponseMessage, HTTPError> {
            Command(strategy) { [self] request in send(request) }
        }

        /// The number of open connections, including those without a request. It includes connections that are being
        /// closed.
        public var connectionCount: Int { ledger.connectionCount }

        /// The pool of the caller's loop, or of the next one.
        func pool() -> UnsafeTransfer<ClientPool> {
            if pools.count == 1 { return pools[0] }
            if let current = pools.first(where: { $0.value.loop.isCurrent }) { return current }
            let next = loops.next()
            return pools.first { $0.value.loop === next } ?? pools[0]
        }

        // MARK: Ending

        /// Sends no more requests, and waits until those that have begun have ended.
        ///
        /// A later request fails with `closed`. Connections without a request are closed immediately. Requests, and
        /// bodies of responses, that remain after `grace` fail with `closed`, and their connections are reset. This
        /// includes upgraded connections.
        ///
        /// Dispose the loops after the drain. If one is disposed during the drain, the signal may not complete.
        ///
        /// - Parameter grace: The time that requests have to end. A value of zero or less ends them immediately.
        /// - Returns: A signal that completes when all connections have been closed. It may be ignored.
        @discardableResult
        public func drain(within grace: Duration) -> Signal<Never, Never> {
            ledger.beginDraining()
            for pool in pools where !pool.value.loop.isDisposed {
                let loop = pool.value.loop
                let deadline = loop.now + max(grace, .zero)
                loop.runOrExecute {
                    if grace <= .zero { return pool.value.stop() }
                    pool.value.drain()
                    let timer = loop.schedule(at: deadline, options: TimerOptions()) { pool.value.stop() }
                    // If the requests end earlier, the timer must not keep the loop alive.
                    pool.value.ledger.stopped.signal.subscribe(onTermination: { _ in timer.dispose() })
                }
            }
            return ledger.stopped.signal
        }

        /// Fails all requests and resets all connections immediately: `drain(within: .zero)`.
        ///
        /// - Returns: The result of ``drain(within:)``.
        @discardableResult
        public func stop() -> Signal<Never, Never> { drain(within: .zero) }
    }

    extension HTTPClient: CustomStringConvertible {
        /// The client in one line: `HTTPClient (3 connections)`.
        public var description: String { "HTTPClient (\(connectionCount) connections)" }
    }
#endif
