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
    let answers = Answers()
    let feed: Feed
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

    init(_ id: Int, _ connection: Connection, _ service: Service) {
        self.id = id
        self.connection = connection
        self.service = service
        feed = Feed(connection, service.settings)
    }

    /// What the client is sent: the replies to its requests, and what is published for it. It ends with the requests.
    func output(answering requests: Signal<Batch, SocketError>) -> Signal<Bytes, SocketError> {
        .merge(replies(to: requests), feed.messages)
    }

    private func replies(to requests: Signal<Batch, SocketError>) -> Signal<Bytes, SocketError> {
        Signal { [self] emitter, subscription in
            let (home, service) = (service.home, service)
            let closing = service.isClosing.signal.subscribe(onValue: { isClosing in
                // Behind the batch that may be in hand: it is answered first.
                if isClosing { home.execute { emitter.complete() } }
            })
            subscription.onDispose { [self] in
                closing.dispose()
                feed.end()
                home.execute { [self] in leave(service) }
            }
            requests.subscribe(
                in: subscription,
                onValue: { [self] batch in answer(batch, emitter) },
                onTermination: { emitter.send(termination: $0) }
            )
        }
    }

    /// All of a chunk's requests are answered, and then the replies leave together.
    private func answer(_ batch: Batch, _ emitter: Emitter<Bytes, SocketError>) {
        var first = 0
        for number in batch.extents.indices {
            service.execute(Request(self, batch, number, first: first))
            if isLeaving.load(ordering: .relaxed) { break }
            first = batch.extents[number].end
        }
        if let error = batch.error, !isLeaving.load(ordering: .relaxed) {
            answers.receive(error.reply)
            isLeaving.store(true, ordering: .relaxed)
        }
        answers.send(to: emitter)
        if isLeaving.load(ordering: .relaxed) { emitter.complete() }
    }

    private func leave(_ service: Service) {
        unsubscribeFromAll()
        state.withLock { $0.monitoring.take() }?.dispose()
        service.clients.remove(self)
    }
}
