import ReactiveCommands
import ReactiveCore
import ReactiveSignals
import ReactiveSockets
import Synchronization

/// The replies to a client's requests, in their order: every command is executed into it.
///
/// Every command here is a function: its reply is there when `execute` returns. A command that takes time would need a slot
/// reserved for its reply; `requests.execute(order: .asRequested, choosing:)` does that.
final class Answers: Observer {
    typealias Value = Reply
    typealias Failure = CommandError<CommandFailure>

    private let buffer: Mutex<ReplyBuffer>

    /// - Parameter limit: the bytes that the replies may have which wait to be sent together.
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

    /// How many bytes wait.
    var count: Int { buffer.withLock { $0.count } }

    /// Whether a reply was longer than the limit.
    var isOverLimit: Bool { buffer.withLock { $0.isOverLimit } }

    /// What there is to send, and nil where there is nothing.
    func take() -> Rope? { buffer.withLock { $0.take() } }
}

extension CommandError<CommandFailure> {
    /// The text of the error that the client gets.
    fileprivate var text: Bytes {
        switch self {
        case .failed(let failure): failure.text
        case .rejected(let reason): Bytes("ERR not now: \(reason)")
        case .cancelled: "ERR cancelled"
        }
    }
}
