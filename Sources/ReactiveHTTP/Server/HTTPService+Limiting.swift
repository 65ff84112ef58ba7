// SPDX-License-Identifier: MIT
#if HTTP
    public import HTTPTypes
    public import ReactiveCommands
    import ReactiveCore
    import ReactiveSignals

    extension HTTPService {
        /// Returns a service that answers with 503 while `limiter` admits no more requests.
        ///
        /// ```swift
        /// let limited = service.limited(by: limiter) { request in request.path == "/health" }
        /// ```
        ///
        /// The decision follows the head of the request, so the body of a rejected request is not read. A request counts
        /// until the service has answered. The body of the response, server-sent events and a protocol after an upgrade do
        /// not count. If the connection ends first, the request is not measured.
        ///
        /// A service that reads the body before it answers keeps its slot while the client sends. A few clients that send
        /// slowly then occupy all slots. Limit what follows the body instead: collect it first, and pass it to a command
        /// with `limited(by:)`.
        ///
        /// A response of 503 or 504 means that a server below is overloaded, and reduces the limit. Other responses of
        /// 500 or more, and failures, are not measured, unless the limiter's `isDrop` returns true for the failure.
        ///
        /// A function answers before the next request of its loop is read, so at most one of its requests is under way on
        /// each loop. Limit services that answer later: signals, commands and tasks.
        ///
        /// - Parameters:
        ///   - limiter: The limiter. Several services and servers may share it.
        ///   - retryAfter: The time in the field `Retry-After`, rounded up to whole seconds.
        ///   - isExempt: Returns whether a request needs no admission, such as that of a health check. It is called on
        ///     the loop of the connection.
        public func limited(
            by limiter: LoadLimiter,
            retryAfter: Duration = .seconds(1),
            exempting isExempt: @escaping @Sendable (HTTPRequest) -> Bool = { _ in false }
        ) -> HTTPService {
            let busy = HTTPResponseMessage.busy("the service is overloaded", retryAfter: retryAfter)
            return HTTPService(
                content: .signal(
                    { request, slot, subscription in
                        if isExempt(request.head) { return start(request, slot, subscription) }
                        guard let admission = limiter.begin() else {
                            // An outer limiter has nothing that it could measure.
                            for outer in slot.admissions { outer.end(.ignored) }
                            return slot.respond(busy)
                        }
                        // A child, because a failure ends its subscription before it arrives. The connection disposes
                        // this subscription at the end of the exchange, or when the client has left.
                        subscription.onDispose { admission.end(.ignored) }
                        var slot = slot
                        slot.admissions.append(admission)
                        start(request, slot, subscription.makeChild())
                    },
                    { request in
                        if isExempt(request.head) { return responses(to: request) }
                        guard let admission = limiter.begin() else { return .just(busy) }
                        return responses(to: request).handleEvents(
                            onValue: { admission.end(with: $0.head.status) },
                            onTermination: { if case .failed(let error) = $0 { admission.end(withFailure: error) } },
                            onDispose: { admission.end(.ignored) }
                        )
                    }
                )
            )
        }

        /// Answers a request in any form of service.
        private func start(_ request: HTTPRequestMessage, _ slot: ResponseSlot, _ subscription: SignalSubscription) {
            switch content {
            case .function(let respond): slot.respond(respond(request))
            case .signal(let start, _): start(request, slot, subscription)
            case .paths(let table):
                table.service(for: request.head.path ?? "").start(request, slot, subscription)
            }
        }
    }

    extension LoadAdmission {
        func end(with status: HTTPResponse.Status) {
            switch status.code {
            case 503, 504: end(.dropped)
            case 500...: end(.ignored)
            default: end(.completed)
            }
        }

        /// Ends the request with a failure of the service. An `HTTPError` may have a status.
        func end(withFailure error: any Error) {
            if let status = (error as? HTTPError)?.status, [503, 504].contains(status.code) { return end(.dropped) }
            fail(error)
        }
    }
#endif
