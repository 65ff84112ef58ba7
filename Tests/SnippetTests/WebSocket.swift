// SPDX-License-Identifier: MIT
#if HTTP
    import HTTPTypes
    import ReactiveCore
    import ReactiveHTTP
    import ReactiveSignals
    import ReactiveSockets

    // The snippets of Docs/WebSocket.md and of the page of ReactiveHTTP. ReactiveHTTPTests test these calls.

    private func echo(loops: LoopGroup) throws -> HTTPServer {
        let server = try HTTPServer(on: .loopback(port: 8080), loops: loops) { request in
            .webSocket(request) { socket in socket.send(from: socket.messages) }
        }
        return server
    }

    private struct File: Sendable {
        func append(_ bytes: Bytes) {}
    }

    private func receiveFragments(_ request: HTTPRequestMessage, _ file: File) -> HTTPResponseMessage {
        let configuration = WebSocketConfiguration { $0.messageBytes = nil }
        return .webSocket(request, configuration) { socket in
            socket.fragments.map { fragment in file.append(fragment.bytes) }
        }
    }

    private func connect(loop: any LoopScheduler) {
        let messages = WebSocket.connect(toHost: "example.org", port: 80, "/chat", loop: loop)
            .flatMap { socket in
                socket.send("hello")
                return socket.messages
            }
        messages.subscribe(onValue: { message in print(message) }, onTermination: { termination in print(termination) })
    }

    private func compress() -> WebSocketConfiguration {
        let configuration = WebSocketConfiguration { configuration in
            configuration.compression = WebSocketCompression()
            configuration.compression?.keepsSendContext = false
        }
        return configuration
    }
#endif
