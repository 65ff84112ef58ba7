// SPDX-License-Identifier: MIT
#if NATS
    import ReactiveCore
    import ReactiveSockets
    import ReactiveSupport
    import Testing

    @testable import ReactiveNATS

    extension NATSClient {
        /// Passes a message of the stream "S" to this client's reader that has sent the request. A server accepts no
        /// position from a client, so the message does not pass through the server.
        func deliver(_ text: String, at position: String, for request: NATSMessage?) throws {
            try deliver(text, at: [position], for: request)
        }

        /// Passes a message for each position, in one job.
        func deliver(_ text: String, at positions: [String], for request: NATSMessage?) throws {
            let reply = try #require(request?.reply)
            let end = try #require(reply.lastIndex(of: "."))
            let replies = "\(reply[...end])*"
            loop.execute { [core] in
                for position in positions {
                    let message = NATSMessage(Bytes(text), to: "s", reply: "$JS.ACK.S.\(position)")
                    for feed in core.value.feeds where feed.subject == replies { feed.onMessage(message) }
                }
            }
        }
    }
#endif
