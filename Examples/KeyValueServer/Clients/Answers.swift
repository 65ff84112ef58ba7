// SPDX-License-Identifier: MIT
import ReactiveCommands
import ReactiveCore
import ReactiveSignals
import ReactiveSockets
import Synchronization

/// The observer of all commands of a client. It collects the replies in order.
///
/// Each command of this server is a function, so its reply is complete when `execute` returns. For asynchronous
/// commands, use `requests.execute(order: .asRequested, choosing:)`, which orders the replies.
final class Answers: Observer {
    typealias Value = Reply
    typealias Failure = CommandError<CommandFailure>

    private let buffer: Mutex<ReplyBuffer>

    /// - Parameter limit: The maximum number of bytes of one reply.
    init(limit: Int) {
        buffer = Mutex(ReplyBuffer(limit: limit))
    }

    func receive(_ reply: Reply) {
        buffer.withLock { $0.append(reply) }
    }

    func receive(termination: Termination<CommandError<CommandFailure>>) {
        guard case .failed(let error) = termination else { return }
        receive(.error(error.text))
    }

    func refuse(_ failure: CommandFailure) { receive(.error(failure.text)) }

    /// Appends a message to the replies.
    func append(_ message: Bytes) {
        buffer.withLock { $0.append(encoded: message) }
    }

    /// The number of bytes that wait to be sent.
    var count: Int { buffer.withLock { $0.count } }

    /// Whether a reply exceeded the limit.
    var isOverLimit: Bool { buffer.withLock { $0.isOverLimit } }

    /// Removes and returns the bytes to send. Returns `nil` if there are none.
    func take() -> Rope? { buffer.withLock { $0.take() } }
}

extension CommandError<CommandFailure> {
    /// The error message that the client receives.
    fileprivate var text: Bytes {
        switch self {
        case .failed(let failure): failure.text
        case .rejected(let reason): Bytes("ERR command rejected: \(reason)")
        case .cancelled: "ERR cancelled"
        }
    }
}
