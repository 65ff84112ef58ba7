// SPDX-License-Identifier: MIT
#if HTTP
    import HTTPTypes
    import ReactiveCore
    import ReactiveHTTP
    import ReactiveSignals
    import ReactiveSockets

    /// Answers the requests of a dashboard: the page, its snapshots, JSON and Prometheus text.
    struct DashboardService: Sendable {
        let collector: Collector
        let pages: Pages
        let check: RequestGuard

        func respond(to request: HTTPRequestMessage) -> Signal<HTTPResponseMessage, Never> {
            if let refusal = check.refusal(of: request) { return .just(refusal.secured()) }
            switch (request.head.path ?? "").split(separator: "?", maxSplits: 1).first {
            case "/": return .just(page)
            case "/live": return .just(live(request))
            case "/json":
                return snapshot { .ok(Bytes($0.json), type: "application/json") }
            case "/metrics":
                return snapshot { .ok(Bytes($0.prometheus), type: "text/plain; version=0.0.4; charset=utf-8") }
            default: return .just(HTTPResponseMessage.plain(.notFound, "there is no such page").secured())
            }
        }

        private func snapshot(
            _ response: @escaping @Sendable (DashboardSnapshot) -> HTTPResponseMessage
        ) -> Signal<HTTPResponseMessage, Never> {
            let (collector, pages) = (collector, pages)
            return Signal { emitter, subscription in
                let number = collector.collect { snapshot in
                    var snapshot = snapshot
                    snapshot.pages = pages.count
                    var problems = ProblemFinder()
                    problems.apply(to: &snapshot, at: .now)
                    emitter.send(response(snapshot).secured())
                    emitter.complete()
                }
                // The client may leave, or the loop may be disposed, before the observed loops have answered.
                subscription.onDispose { collector.cancel(number) }
            }
        }

        private var page: HTTPResponseMessage {
            var random = SystemRandomNumberGenerator()
            let nonce = String(random.next() as UInt64, radix: 16) + String(random.next() as UInt64, radix: 16)
            let text = DashboardPage.html.replacing("NONCE", with: nonce)
            return HTTPResponseMessage.ok(Bytes(text), type: "text/html; charset=utf-8").secured(nonce: nonce)
        }

        private func live(_ request: HTTPRequestMessage) -> HTTPResponseMessage {
            if pages.isFull {
                return HTTPResponseMessage.plain(.serviceUnavailable, "too many pages are open").secured()
            }
            var configuration = WebSocketConfiguration()
            configuration.messageBytes = 1024
            // The check of the request has compared the origin with the host.
            configuration.origins = .any
            let pages = pages
            return .webSocket(request, configuration) { socket in
                // The page sends nothing. Messages are received so that its end is noticed.
                socket.messages.subscribe(onValue: { _ in }, onTermination: { _ in })
                return socket.send(from: pages.messages)
            }
        }
    }

    extension HTTPMessage<HTTPResponse> {
        /// Adds the fields that restrict what a browser does with the response.
        fileprivate func secured(nonce: String? = nil) -> HTTPMessage {
            var response = self
            let code = nonce.map { "script-src 'nonce-\($0)'; style-src 'nonce-\($0)'; connect-src 'self'; " } ?? ""
            let fields = [
                "Content-Security-Policy":
                    "default-src 'none'; \(code)base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
                "X-Content-Type-Options": "nosniff",
                "Cross-Origin-Resource-Policy": "same-origin",
                "Referrer-Policy": "no-referrer",
                "Cache-Control": "no-store",
            ]
            for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
                if let name = HTTPField.Name(name) { response.head.headerFields[name] = value }
            }
            return response
        }
    }
#endif
