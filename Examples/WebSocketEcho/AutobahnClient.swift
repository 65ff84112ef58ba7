// SPDX-License-Identifier: MIT
#if HTTP
    import ReactiveCore
    import ReactiveHTTP
    import ReactiveSignals
    import ReactiveSockets

    /// Runs the cases of Autobahn's fuzzing server, one after the other: it sends back what the server sends.
    final class AutobahnClient: Sendable {
        private let agent: String
        private let address: SocketAddress
        private let loop: any LoopScheduler
        private let configuration: WebSocketConfiguration

        init(
            agent: String,
            _ address: SocketAddress,
            _ loop: any LoopScheduler,
            _ configuration: WebSocketConfiguration
        ) {
            self.agent = agent
            self.address = address
            self.loop = loop
            self.configuration = configuration
        }

        /// Asks for the number of cases, runs them, and lets the server write its report.
        func runAll(_ done: @escaping @Sendable () -> Void) {
            let plain = WebSocketConfiguration()
            socket("/getCaseCount", plain).flatMap { $0.messages }.take(1).subscribe(
                onValue: { message in
                    if case .text(let text) = message { self.run(1, of: Int(text) ?? 0, done) }
                },
                onTermination: { if case .failed = $0 { done() } }
            )
        }

        /// Runs a case and those after it. A case ends however the server wants it to.
        private func run(_ number: Int, of count: Int, _ done: @escaping @Sendable () -> Void) {
            if number > count {
                socket("/updateReports?agent=\(agent)", WebSocketConfiguration()).flatMap { $0.messages }
                    .subscribe(onValue: { _ in }, onTermination: { _ in done() })
                return
            }
            socket("/runCase?case=\(number)&agent=\(agent)", configuration)
                .flatMap { socket in
                    // Its failure is that of `ended`.
                    socket.send(from: socket.messages).subscribe(onTermination: { _ in })
                    return socket.ended
                }
                .subscribe(onValue: { _ in }, onTermination: { _ in self.run(number + 1, of: count, done) })
        }

        private func socket(
            _ path: String,
            _ configuration: WebSocketConfiguration
        ) -> Signal<WebSocket, WebSocketError> {
            WebSocket.connect(to: address, WebSocketTarget(path), loop: loop, configuration: configuration)
        }
    }
#endif
