// SPDX-License-Identifier: MIT
#if HTTP
    import HTTPTypes
    import ReactiveCore
    import ReactiveHTTP
    import ReactiveSignals
    import ReactiveSockets

    /// A browser in a room, with a WebSocket. A message to the server is a text. A message to the browser is a name, a line
    /// feed and a text.
    enum Member {
        /// The maximum number of bytes of a text.
        private static let textBytes = 2000
        /// The number of messages in a second that are received in the long run. Further ones wait, and TCP slows the browser
        /// down.
        private static let messagesPerSecond = 10

        /// Answers the handshake of `/chat?room=ROOM&name=NAME`. Pages of other origins receive 403.
        static func join(_ request: HTTPRequestMessage, _ rooms: Rooms) -> HTTPResponseMessage {
            let query = parameters(of: request.head.path ?? "")
            guard let room = query["room"], let name = query["name"], isName(room), isName(name) else {
                return .response(.badRequest, HTTPBody("a room and a name have 1 to 32 letters, digits, - and _\n"))
            }
            let configuration = WebSocketConfiguration { $0.messageBytes = textBytes }
            return .webSocket(request, configuration) { socket in
                let lines = rooms.lines(of: room).map { WebSocketMessage.text($0) }
                // Its failure is that of the messages.
                socket.send(from: lines).subscribe(onTermination: { _ in })
                return socket.messages
                    .map { message in
                        if case .text(let text) = message { rooms.say("\(name)\n\(text)", in: room) }
                    }
                    // Last, because what it delays is dropped when the WebSocket closes.
                    .rateLimit(messagesPerSecond, per: .seconds(1), on: socket.loop)
            }
        }

        private static func parameters(of path: String) -> [Substring: String] {
            var parameters: [Substring: String] = [:]
            let query = path.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
            for part in query.split(separator: "&") {
                let pair = part.split(separator: "=", maxSplits: 1)
                if pair.count == 2 { parameters[pair[0]] = String(pair[1]) }
            }
            return parameters
        }

        /// None of these characters is special in a URL, in HTML, or in a subject of NATS.
        private static func isName(_ text: String) -> Bool {
            (1...32).contains(text.utf8.count)
                && text.utf8.allSatisfy { byte in
                    (97...122).contains(byte | 32) && byte < 128 || (48...57).contains(byte) || byte == 45 || byte == 95
                }
        }
    }
#endif
