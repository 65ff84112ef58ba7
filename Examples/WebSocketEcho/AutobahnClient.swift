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
            let echo = configuration
            let count = messages(of: "/getCaseCount").map { message in
                if case .text(let text) = message { Int(text) ?? 0 } else { 0 }
            }
            count
                .flatMap { count in
                    Signal<Int, Never>(values: 1...max(count, 1)).flatMap(.concat) { number in
                        self.socket("/runCase?case=\(number)&agent=\(self.agent)", echo)
                            .flatMap { socket in socket.send(from: socket.messages) }
                            // The case ends however the server wants it to.
                            .flatMapError { _ in Signal<Never, Never>.empty }
                    }
                }
                .concat(messages(of: "/updateReports?agent=\(agent)").map { _ in })
                .subscribe(onValue: { _ in }, onTermination: { _ in done() })
        }

        private func socket(
            _ path: String,
            _ configuration: WebSocketConfiguration
        ) -> Signal<WebSocket, WebSocketError> {
            WebSocket.connect(to: address, WebSocketTarget(path), loop: loop, configuration: configuration)
        }

        private func messages(of path: String) -> Signal<WebSocketMessage, WebSocketError> {
            socket(path, WebSocketConfiguration()).flatMap { socket in socket.messages }
        }
    }
#endif
