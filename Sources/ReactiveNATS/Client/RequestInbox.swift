// SPDX-License-Identifier: MIT
#if NATS
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSupport

    /// The replies to all requests of a client: one subscription, with a subject below it for each request. It belongs
    /// to the client's loop.
    final class RequestInbox {
        /// A request that waits for its reply.
        private struct Pending {
            /// Requests are sent in the order of their numbers.
            let number: Int
            let message: NATSMessage
            let isAskedAgain: Bool
            /// How long a reply may take after the request has been sent, before it is sent again. `nil` means forever.
            let patience: Duration?
            let timeout: Duration
            let end: LoopInstant
            let completion: (Result<NATSMessage, NATSError>) -> Void
            var timer: (any Disposable)?
            /// The publication of the request, if it was sent or queued for the current connection.
            var ticket: PublishTicket?
            /// The bytes that wait here for the first connection of the request. A request that is sent once waits in the
            /// client's queue instead.
            var waitingCost: Int

            /// The position of the request if it was sent on the current connection.
            var position: Int? {
                if case .given(let position) = ticket?.state { position } else { nil }
            }
        }

        let prefix = "_INBOX.\(RequestInbox.randomName())."
        private var feed: NATSFeed?
        private var pending: [String: Pending] = [:]
        /// The sum of all `waitingCost`.
        private(set) var waitingCost = 0
        private var next = 0

        /// Sends a request. `completion` is called once, unless the request is forgotten first.
        ///
        /// A request with `isAskedAgain` is sent again if the connection breaks before the reply. With a `patience`, it is also
        /// sent again after that time, if the server has processed it. With `isLimited`, it fails if there is no connection and
        /// `NATSOptions.reconnectBuffer` has no room for it.
        ///
        /// - Returns: The name of the request, for ``forget(_:)``. `nil` if the request was refused immediately, so
        ///   that `completion` has been called already.
        func ask(
            _ message: NATSMessage,
            within timeout: Duration,
            isAskedAgain: Bool = false,
            patience: Duration? = nil,
            isLimited: Bool = true,
            _ core: ClientCore,
            _ completion: @escaping (Result<NATSMessage, NATSError>) -> Void
        ) -> String? {
            if let end = core.end {
                completion(.failure(end))
                return nil
            }
            next += 1
            let name = "\(prefix)\(next)"
            var message = message
            message.reply = name
            let what = message.subject
            let cost = isAskedAgain && isLimited && !core.isUp ? message.cost : 0
            let waiting = waitingCost + core.waitingCost
            if cost > 0, waiting + cost > core.options.reconnectBuffer {
                let why = "request to \(what): not connected, and \(waiting) bytes wait already"
                let error = NATSError(.bufferFull, why)
                completion(.failure(error))
                core.statistics.withLock { $0.refused += 1 }
                core.events.send(.refused(error, subject: what))
                return nil
            }
            listen(core)
            pending[name] = Pending(
                number: next,
                message: message,
                isAskedAgain: isAskedAgain,
                patience: patience,
                timeout: timeout,
                end: core.loop.now + timeout,
                completion: completion,
                waitingCost: cost
            )
            waitingCost += cost
            arm(name, core)
            send(name, core)
            return pending[name] == nil ? nil : name
        }

        /// Removes a request. Its callback is not called any more, and it is not sent any more.
        func forget(_ name: String, _ core: ClientCore) {
            if let request = pending[name] { core.withdraw(request.message, request.ticket) }
            remove(name)
        }

        private func remove(_ name: String) {
            guard let request = pending.removeValue(forKey: name) else { return }
            request.timer?.dispose()
            waitingCost -= request.waitingCost
        }

        /// Sends unanswered requests on the new connection.
        func linkIsUp(_ core: ClientCore) {
            let due = pending.filter { $0.value.isAskedAgain && $0.value.position == nil }
            for (name, _) in due.sorted(by: { $0.value.number < $1.value.number }) { send(name, core) }
        }

        /// Handles a broken connection, whose requests receive no replies.
        func linkIsDown() {
            for (name, request) in pending where request.position != nil {
                if request.isAskedAgain {
                    pending[name]?.ticket = nil
                } else {
                    let why = "request to \(request.message.subject): the connection broke before a reply arrived"
                    answer(name, .failure(NATSError(.unconfirmed, why)))
                }
            }
        }

        func end(_ error: NATSError) {
            feed = nil
            for name in pending.keys.sorted() { answer(name, .failure(error)) }
        }

        /// Releases all requests without calling their callbacks, because the loop has been disposed.
        func abandon() {
            let (requests, arrivals) = (pending, feed)
            (pending, waitingCost) = ([:], 0)
            feed = nil
            withExtendedLifetime((requests, arrivals)) {}
        }

        private func send(_ name: String, _ core: ClientCore) {
            guard let request = pending[name] else { return }
            // A repeated request waits here, because the client's queue would send it twice.
            if request.isAskedAgain, !core.isUp { return }
            let inbox = Weak(self)
            let ticket = PublishTicket(onRefusal: { error in inbox.object?.answer(name, .failure(error)) })
            pending[name]?.ticket = ticket
            if request.waitingCost > 0 {
                waitingCost -= request.waitingCost
                pending[name]?.waitingCost = 0
            }
            core.publish(request.message, ticket)
        }

        /// Sets the timer of a request: for its next copy, or for its end.
        private func arm(_ name: String, _ core: ClientCore) {
            guard let request = pending[name] else { return }
            let due = request.patience.map { min(request.end, core.loop.now + $0) } ?? request.end
            let confined = (inbox: UnsafeTransfer(Weak(self)), core: UnsafeTransfer(Weak(core)))
            pending[name]?.timer = core.loop.schedule(at: due, options: TimerOptions()) {
                if let core = confined.core.value.object { confined.inbox.value.object?.check(name, core) }
            }
        }

        /// Sends a request again, or ends it.
        private func check(_ name: String, _ core: ClientCore) {
            guard let request = pending[name] else { return }
            if core.loop.now >= request.end {
                core.withdraw(request.message, request.ticket)
                let why = "request to \(request.message.subject): no reply within \(request.timeout)"
                return answer(name, .failure(NATSError(.timedOut, why)))
            }
            // While a slow connection has not carried the request, a copy would only delay it.
            if let position = request.position, position <= core.confirmations.settled { send(name, core) }
            arm(name, core)
        }

        private func answer(_ name: String, _ result: Result<NATSMessage, NATSError>) {
            guard let request = pending[name] else { return }
            if case .success(let message) = result, message.headers["Status"] == "503", message.payload.isEmpty {
                let what = request.message.subject
                return answer(name, .failure(NATSError(.noResponders, "request to \(what): no client answers it")))
            }
            remove(name)
            request.completion(result)
        }

        private func listen(_ core: ClientCore) {
            if feed != nil { return }
            let confined = UnsafeTransfer(Weak(self))
            let feed = NATSFeed(
                "\(prefix)*",
                onMessage: { message in confined.value.object?.answer(message.subject, .success(message)) },
                onEnd: { error in confined.value.object?.end(error) }
            )
            self.feed = feed
            core.add(feed)
        }

        /// A random name with as many possible values as a UUID.
        static func randomName() -> String {
            let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")
            return String((0..<22).map { _ in letters[Int.random(in: letters.indices)] })
        }
    }
#endif
