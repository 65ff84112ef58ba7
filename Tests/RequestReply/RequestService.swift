// SPDX-License-Identifier: MIT
import ReactiveCore
package import ReactiveSignals
package import ReactiveSockets

/// The reason why a service refuses a request. The client receives the text.
package struct Refusal: Error {
    package let text: String

    package init(_ text: String) { self.text = text }
}

/// The service of a `Server`: answers each request of a connection, up to `concurrency` at the same time.
package struct RequestService: Sendable {
    private let concurrency: Int
    private let answer: @Sendable (Bytes) -> Signal<Bytes, Refusal>

    package init(concurrency: Int = 16, answer: @escaping @Sendable (Bytes) -> Signal<Bytes, Refusal>) {
        self.concurrency = concurrency
        self.answer = answer
    }

    /// Serves a connection until the client has left and has received its replies.
    package func serve(_ connection: Connection) -> Signal<Never, SocketError> {
        // A client that does not read its replies pauses `flatMap`, and so does one with too many requests under way.
        let replies = connection.messages.flatMap(.concurrent(limit: concurrency)) { request in
            request.kind == .request ? reply(to: request) : .fail(SocketError(.malformed, "a client sends requests"))
        }
        return connection.send(from: replies.attemptMap { message throws(SocketError) in try message.encoded() })
    }

    private func reply(to request: Message) -> Signal<Message, SocketError> {
        let refusal: @Sendable (String) -> Message = { text in
            Message(.refusal, request.number, Bytes(text.utf8.prefix(1000)))
        }
        return answer(request.payload)
            .map { payload in
                let isSent = payload.count <= Message.payloadLimit
                return isSent ? Message(.reply, request.number, payload) : refusal("the reply is too long")
            }
            .flatMapError { error in Signal<Message, SocketError>(just: refusal(error.text)) }
            // Each request has a reply, so that no client waits forever.
            .concat(Signal(just: refusal("the service has sent no reply")))
            .take(1)
    }
}
