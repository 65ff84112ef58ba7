// SPDX-License-Identifier: MIT
#if HTTP
    import HTTPTypes
    import LoopTestSupport
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets
    import ReactiveSupport
    import SchedulerConformance
    import Testing

    @testable import ReactiveHTTP

    /// Random requests, cancellations and servers, compared with a model.
    @Suite struct ClientModelTests {
        /// A connection of the raw server, and the request that it carries.
        private final class Peer {
            let socket: RawPeer
            var text = ""
            /// The numbers of the requests that have arrived, in order.
            var requests: [Int] = []
            var answered = 0
            var isClosed = false

            init(_ socket: RawPeer) { self.socket = socket }

            /// Receives, and returns false if the client has ended the connection.
            func receive() -> Bool {
                while true {
                    switch socket.receive() {
                    case .bytes(let bytes): text += String(decoding: bytes, as: UTF8.self)
                    case .nothing: return true
                    case .end, .failed: return false
                    }
                    while let end = text.firstRange(of: "\r\n\r\n") {
                        let line = text.prefix { $0 != "\r\n" && $0 != "\r" }
                        requests.append(Int(line.split(separator: " ")[1].dropFirst()) ?? -1)
                        text.removeSubrange(..<end.upperBound)
                    }
                }
            }
        }

        private enum Kind: CaseIterable { case fixed, chunked, empty, untilClose, closing, broken, trailing, reset }

        @Test("Each request ends once, and no connection carries two", arguments: LoopKind.all, 0..<6)
        func model(_ kind: LoopKind, _ seed: Int) throws {
            var random = SplitMix64(seed: UInt64(seed))
            let fixture = try ClientFixture(kind) { configuration in
                configuration.connectionsPerOrigin = 3
                configuration.waitingRequests = 5
                configuration.idleConnections = 2
            }
            var answers: [Answer] = []
            var cancelled: Set<Int> = []
            var peers: [Peer] = []
            for _ in 0..<400 {
                switch Int.random(in: 0..<10, using: &random) {
                case 0..<4:
                    let reads = Bool.random(using: &random)
                    answers.append(fixture.get("/\(answers.count)", reads: reads))
                case 4 where !answers.isEmpty:
                    let number = Int.random(in: 0..<answers.count, using: &random)
                    let answer = answers[number]
                    if !answer.hasHead { cancelled.insert(number) }
                    answer.subscription.dispose()
                case 5 where !answers.isEmpty:
                    answers[Int.random(in: 0..<answers.count, using: &random)].bodySubscription.dispose()
                case 6 where !peers.isEmpty && Int.random(in: 0..<4, using: &random) == 0:
                    close(peers[Int.random(in: 0..<peers.count, using: &random)])
                default: break
                }
                try fixture.loop.turns(Int.random(in: 0..<3, using: &random))
                while let socket = fixture.raw.accept() { peers.append(Peer(socket)) }
                for peer in peers where !peer.isClosed {
                    if !peer.receive() { close(peer) }
                    // The client sends the next request only after the response.
                    #expect(peer.requests.count - peer.answered <= 1)
                    if peer.requests.count > peer.answered, Bool.random(using: &random) { respond(peer, &random) }
                }
                for answer in answers where Int.random(in: 0..<3, using: &random) == 0 { answer.drop() }
            }
            #expect(peers.count > 10 && answers.count > 50)
            // Everything that is left ends when the servers do.
            try fixture.loop.turns {
                while let socket = fixture.raw.accept() { peers.append(Peer(socket)) }
                for peer in peers where !peer.isClosed {
                    _ = peer.receive()
                    close(peer)
                }
                // A response that arrives only now must not keep its connection either.
                for answer in answers { answer.drop() }
                return fixture.client.connectionCount == 0
                    && answers.indices.allSatisfy { answers[$0].hasHead || cancelled.contains($0) }
            }
            for (number, answer) in answers.enumerated() {
                #expect(answer.terminationCount == (cancelled.contains(number) && !answer.hasHead ? 0 : 1), "\(number)")
                if let response = answer.response, response.head.status == .ok {
                    #expect(response.head.headerFields[.server] == "\(number)")
                }
            }
            let sent = peers.flatMap(\.requests)
            // Only a retry sends a request twice.
            #expect(Dictionary(grouping: sent, by: { $0 }).values.allSatisfy { $0.count <= 2 })
        }

        private func close(_ peer: Peer) {
            if !peer.isClosed { peer.socket.close() }
            peer.isClosed = true
        }

        private func respond(_ peer: Peer, _ random: inout SplitMix64) {
            let number = peer.requests[peer.answered]
            peer.answered += 1
            let head = "HTTP/1.1 200 OK\r\nServer: \(number)\r\n"
            switch Kind.allCases.randomElement(using: &random) ?? .fixed {
            case .fixed: peer.socket.send(Array("\(head)Content-Length: 4\r\n\r\nbody".utf8))
            case .chunked:
                peer.socket.send(Array("\(head)Transfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n".utf8))
            case .empty: peer.socket.send(Array("\(head)Content-Length: 0\r\n\r\n".utf8))
            case .untilClose:
                peer.socket.send(Array("\(head)\r\nuntil the end".utf8))
                close(peer)
            case .closing: peer.socket.send(Array("\(head)Connection: close\r\nContent-Length: 0\r\n\r\n".utf8))
            case .broken: peer.socket.send(Array("\(head)Content-Length: x\r\n\r\n".utf8))
            case .trailing: peer.socket.send(Array("\(head)Content-Length: 0\r\n\r\nHTTP/1.1 200 OK\r\n\r\n".utf8))
            case .reset:
                peer.socket.reset()
                peer.isClosed = true
            }
        }
    }
#endif
