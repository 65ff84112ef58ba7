import ReactiveCore
import ReactiveSignals
import ReactiveSockets
import Synchronization

/// One connection's side of the conversation: requests in, replies and messages out.
///
/// Everything here happens on the store's loop, whichever loop the connection lives on.
final class Client: Sendable {
    let id: Int
    let connection: Connection
    let answers: Answers
    let outbox: Outbox
    let isLeaving = Atomic(false)
    let state = Mutex(State())
    /// Channels and patterns that it is subscribed to.
    let subscriptionCount = Atomic(0)

    unowned let service: Service

    struct State: Sendable {
        var name = Bytes()
        var channels: [Bytes: any Disposable] = [:]
        var patterns: [Bytes: any Disposable] = [:]
        var monitoring: (any Disposable)?
    }

    /// How far a client's requests have been answered.
    enum Progress { case some, all, leaving }

    init(_ id: Int, _ connection: Connection, _ service: Service) {
        self.id = id
        self.connection = connection
        self.service = service
        answers = Answers(limit: service.settings.replyBytes)
        outbox = Outbox(answers, on: service.home, service.settings)
    }

    /// What the client is sent: the replies to its requests, and what is published for it. It ends with the requests.
    func output(answering requests: Signal<Batch, SocketError>) -> Signal<Rope, SocketError> {
        Signal { [self] emitter, subscription in
            let (home, service) = (service.home, service)
            let closing = service.isClosing.signal.subscribe(onValue: { [outbox] isClosing in
                // Behind the batch that may be in hand: it is answered first.
                if isClosing { home.execute { outbox.end(.completed) } }
            })
            subscription.onDispose { [self] in
                closing.dispose()
                home.execute { [self] in leave(service) }
            }
            outbox.start(self, answering: requests, emitter, subscription)
        }
    }

    /// Answers requests until a window of replies is there, which are sent together.
    func answer(_ requests: inout Unanswered) -> Progress {
        while let request = requests.next(of: self) {
            service.execute(request)
            if isLeaving.load(ordering: .relaxed) { return .leaving }
            if answers.count >= Outbox.window { return .some }
        }
        guard let error = requests.error else { return .all }
        answers.receive(error.reply)
        isLeaving.store(true, ordering: .relaxed)
        return .leaving
    }

    private func leave(_ service: Service) {
        unsubscribeFromAll()
        state.withLock { $0.monitoring.take() }?.dispose()
        service.clients.remove(self)
    }
}
