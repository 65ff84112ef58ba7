import ReactiveCommands
import ReactiveCore
import ReactiveSignals
import ReactiveSockets
import Synchronization

/// The replies to a client's requests, in their order: every command is executed into it.
///
/// All commands here are functions, whose reply is there when `execute` returns. One that takes its time would need a place kept
/// for its reply; `requests.execute(order: .asRequested, choosing:)` is that.
final class Answers: Observer {
    typealias Value = Reply
    typealias Failure = CommandError<CommandFailure>

    private let buffer = Mutex(ReplyBuffer())

    func receive(_ reply: Reply) {
        buffer.withLock { $0.append(reply) }
    }

    func receive(termination: Termination<CommandError<CommandFailure>>) {
        guard case .failed(let error) = termination else { return }
        receive(.error(error.text))
    }

    func refuse(_ failure: CommandFailure) { receive(.error(failure.text)) }

    /// Sends what there is.
    func send(to emitter: Emitter<Bytes, SocketError>) {
        if let only = buffer.withLock({ $0.takeOnly() }) { return emitter.send(only) }
        for piece in buffer.withLock({ $0.take() }) { emitter.send(piece) }
    }
}

extension CommandError<CommandFailure> {
    /// What the client is told.
    fileprivate var text: Bytes {
        switch self {
        case .failed(let failure): failure.text
        case .rejected(let reason): Bytes("ERR not now: \(reason)")
        case .cancelled: "ERR broken off"
        }
    }
}
