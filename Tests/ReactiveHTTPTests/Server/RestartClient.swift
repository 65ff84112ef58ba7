// SPDX-License-Identifier: MIT
#if HTTP
    import LoopTestSupport
    import ReactiveSockets
    import SchedulerConformance
    import Testing

    /// A client that sends numbered POST requests on one connection after the other, on a thread of its own.
    ///
    /// It repeats a request only if the server has closed the connection without a response to it.
    final class RestartClient: Sendable {
        let answered = Box<[String]>([])
        let repeated = Box(0)
        private let address: SocketAddress
        private let name: String
        /// The number of requests that it sends before it reads.
        private let depth: Int
        private let isOver = Box(false)

        init(_ name: String, to address: SocketAddress, depth: Int) {
            self.name = name
            self.address = address
            self.depth = depth
        }

        func start() -> TestThread { TestThread { [self] in try run() } }

        /// Ends the client when all requests have been answered.
        func stop() { isOver.value = true }

        private func run() throws {
            var pending: [String] = []
            var number = 0
            while !isOver.value || !pending.isEmpty {
                let peer = try RawPeer(to: address)
                peer.setBlocking(true)
                while !isOver.value || !pending.isEmpty {
                    while pending.count < depth {
                        number += 1
                        pending.append("\(number % 7 == 0 ? "/slow" : "")/\(name)/\(number)")
                    }
                    peer.sendAll(
                        pending.flatMap { Array("POST \($0) HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi".utf8) }
                    )
                    guard receive(&pending, from: peer) else { break }
                }
                let unanswered = pending.count
                repeated.update { $0 += unanswered }
                peer.finish()
                _ = peer.receiveAll()
                peer.close()
            }
        }

        /// Receives the responses to all pending requests. Returns whether the connection may be used again.
        private func receive(_ pending: inout [String], from peer: RawPeer) -> Bool {
            var reader = RawResponses()
            var count = 0
            while !pending.isEmpty {
                guard case .bytes(let bytes) = peer.receive() else { return false }
                reader.feed(bytes)
                for response in reader.complete[count...] {
                    count += 1
                    #expect(response.status == 200 && response.text == pending.first, "\(response)")
                    let path = pending.removeFirst()
                    answered.update { $0.append(path) }
                    if response.fields["connection"] == "close" {
                        // The server must not answer the requests behind it.
                        #expect(reader.complete.count == count && reader.rest.isEmpty)
                        return false
                    }
                }
            }
            return true
        }
    }
#endif
