// SPDX-License-Identifier: MIT
#if HTTP
    import HTTPTypes
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSupport

    /// One subscription of ``HTTPClient/send(_:)``: a request, and the requests that follow from its redirects and its
    /// retry. Only the loop accesses it.
    final class ClientCall {
        private enum State {
            /// It waits for a connection, or for the job that follows a redirect.
            case waiting
            /// A connection carries the request. The reference is weak, because the connection retains the call.
            case running(Weak<ClientConnection>)
            /// The exchange has ended. The response may still have to be delivered.
            case complete
            /// The subscriber receives nothing more.
            case ended
        }

        private(set) var request: PreparedRequest
        /// Whether the request failed on a connection that had served others, so that only a new one will do.
        private(set) var needsNewConnection = false
        private let emitter: Emitter<HTTPResponseMessage, HTTPError>
        /// The reference is weak, because the pool retains waiting calls. Jobs of the call retain the pool: the client may
        /// be released before they run.
        private weak var pool: ClientPool?
        private let redirects: HTTPRedirectPolicy
        private var state = State.waiting
        private var isDelivered = false
        private var redirectCount = 0
        private var hasBegunSource = false
        private var timer: (any Disposable)?

        init(
            _ request: PreparedRequest,
            _ pool: ClientPool,
            _ emitter: Emitter<HTTPResponseMessage, HTTPError>
        ) {
            self.request = request
            self.pool = pool
            self.emitter = emitter
            redirects = pool.configuration.redirects
        }

        func start(in pool: ClientPool) {
            guard case .waiting = state else { return }
            if let limit = pool.configuration.timeouts.request {
                let own = UnsafeTransfer(Weak(self))
                timer = pool.loop.schedule(after: limit) { own.value.object?.runOut(limit) }
            }
            pool.add(self)
        }

        // MARK: Called by the connection

        func began(on connection: ClientConnection) { state = .running(Weak(connection)) }

        /// Records that the source of the body has a subscriber, so it cannot be sent again.
        func sourceHasBegun() { hasBegunSource = true }

        /// Delivers the response.
        func received(_ response: HTTPResponseMessage) {
            if isDelivered { return }
            isDelivered = true
            emitter.send(response)
            emitter.complete()
        }

        /// Decides about a redirect. Returns whether the response is one that is followed, or that cannot be.
        func follows(_ response: HTTPResponse) -> Bool {
            if isDelivered { return true }
            guard redirects != .none, PreparedRequest.isRedirect(response), let pool else { return false }
            do throws(HTTPError) {
                guard redirectCount < redirects.limit else {
                    throw HTTPError(.redirectFailed, "\(request.origin) redirects more than \(redirects.limit) times")
                }
                request = try request.redirected(by: response, redirects)
                try pool.check(request)
            } catch {
                var error = error
                error.isOfOrigin = true
                fail(error)
                return true
            }
            redirectCount += 1
            hasBegunSource = false
            needsNewConnection = false
            state = .waiting
            let parts = UnsafeTransfer((call: self, pool: pool))
            // In a job, so that the connection can take the rest of the response first and then be used again.
            pool.loop.execute { parts.value.call.enqueue(in: parts.value.pool) }
            return true
        }

        private func enqueue(in pool: ClientPool) {
            if case .waiting = state { pool.add(self) }
        }

        /// The connection may carry another request.
        func leaveConnection() {
            if case .running = state { state = .complete }
        }

        /// The response's body has ended, or there is none. So the limit of the request ends.
        func exchangeEnded() {
            leaveConnection()
            timer.take()?.dispose()
        }

        /// The connection has failed. `isStale` means that it had served another request and no byte of a response has
        /// arrived: perhaps the server closed it before it received the request.
        func failed(_ error: HTTPError, isStale: Bool) {
            let isRetry = needsNewConnection
            if isStale, !isRetry, !isDelivered, request.isIdempotent, !hasBegunSource, error.isOfOrigin,
                error.code == .connection || error.code == .incomplete
            {
                needsNewConnection = true
                state = .waiting
                pool?.add(self)
            } else {
                fail(error)
            }
        }

        // MARK: Ending

        /// Fails the call, unless the response has been delivered. Then its body reports the failure.
        func fail(_ error: HTTPError) {
            state = .ended
            timer.take()?.dispose()
            if isDelivered { return }
            isDelivered = true
            emitter.fail(error)
        }

        /// The subscriber does not need the response any more.
        func cancel() {
            if isDelivered { return }
            isDelivered = true
            timer.take()?.dispose()
            stop(HTTPError(.closed, "the request to \(request.origin) has been cancelled"))
        }

        private func runOut(_ limit: Duration) {
            timer = nil
            var error = HTTPError(.timedOut, "the request to \(request.origin) took longer than \(limit)")
            error.isOfOrigin = true
            stop(error)
        }

        /// Stops the request, wherever it is.
        func stop(_ error: HTTPError) {
            let last = state
            state = .ended
            switch last {
            case .waiting:
                pool?.remove(self)
                fail(error)
            case .running(let connection): connection.object?.cancel(error)
            case .complete, .ended: break
            }
        }
    }
#endif
