// SPDX-License-Identifier: MIT
#if HTTP
    import LoopTestSupport
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets
    import SchedulerConformance
    import SchedulerEngine
    import Testing

    @testable import ReactiveHTTP

    /// A server on a Unix socket that the test writes byte by byte, and the loop of its client, which the test runs turn by
    /// turn.
    final class WebSocketRawServer {
        let loop: any LoopScheduler
        /// Opens the WebSocket of the client.
        let client: Signal<WebSocket, WebSocketError>
        /// The server's side of the connection.
        let peer = Box<RawPeer?>(nil)
        private let listener: OwnedDescriptor

        init(_ kind: LoopKind, clock: any LoopClock = MonotonicClock()) throws {
            loop = try kind.make(clock: clock)
            let address = abstractName()
            listener = OwnedDescriptor(RawSocket.listener(on: address).descriptor)
            Descriptor.setBlocking(listener.number, false)
            client = WebSocket.connect(to: address, WebSocketTarget(host: "a"), loop: loop)
        }

        /// Closes the server, checks that the client has left nothing on the loop, and disposes the loop.
        deinit {
            peer.value?.close()
            listener.close()
            loop.expectNothingLeftAndDispose { Issue.record($0) }
        }

        /// Runs turns until the request of the client has arrived.
        @discardableResult
        func receiveRequest() throws -> String {
            var request = ""
            try loop.turns {
                peer.value = peer.value ?? RawPeer.waiting(at: listener.number)
                if case .bytes(let bytes)? = peer.value?.receive() { request += String(decoding: bytes, as: UTF8.self) }
                return request.hasSuffix("\r\n\r\n")
            }
            return request
        }

        func send(_ bytes: [UInt8]) throws {
            try #require(peer.value).sendAll(bytes) { isDone in try loop.turns(until: isDone) }
        }

        /// Accepts the WebSocket, and sends these bytes with the answer.
        func accept(then early: [UInt8] = []) throws {
            let lines = try receiveRequest().split(separator: "\r\n")
            let key = try #require(lines.first { $0.hasPrefix("Sec-WebSocket-Key: ") }).dropFirst(19)
            let answer = [
                "HTTP/1.1 101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade",
                "Sec-WebSocket-Accept: \(ServerHandshake.accept(String(key)))", "\r\n",
            ].joined(separator: "\r\n")
            try send(Array(answer.utf8) + early)
        }
    }
#endif
