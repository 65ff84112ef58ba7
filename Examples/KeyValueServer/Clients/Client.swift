// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveSockets
import Synchronization

/// One connected client: its requests, replies and subscriptions.
///
/// A client runs on the store's loop, even if its connection belongs to another loop.
final class Client: Sendable {
    let id: Int
    let connection: Connection
    let answers: Answers
    let outbox: Outbox
    /// The address for the rate of requests. `nil` means no limit.
    let prefix: AddressPrefix?
    let isLeaving = Atomic(false)
    let state = Mutex(State())
    /// The number of channels and patterns to which the client is subscribed.
    let subscriptionCount = Atomic(0)

    unowned let service: Service

    struct State: Sendable {
        var name = Bytes()
        var channels: [Bytes: any Disposable] = [:]
        var patterns: [Bytes: any Disposable] = [:]
        var monitoring: (any Disposable)?
    }

    /// Which requests have been answered: some, all, or all those before the one with which the client leaves.
    enum Progress { case some, all, leaving }

    init(_ id: Int, _ connection: Connection, _ service: Service) {
        self.id = id
        self.connection = connection
        self.service = service
        prefix = service.rates == nil ? nil : connection.remoteAddress.flatMap { AddressPrefix($0) }
        answers = Answers(limit: service.settings.replyBytes)
        outbox = Outbox(answers, on: service.home, service.settings)
    }

    /// The replies to the client's requests, and its messages. The signal terminates after `requests` has terminated.
    func output(answering requests: Signal<Batch, SocketError>) -> Signal<Rope, SocketError> {
        Signal { [self] emitter, subscription in
            let (home, service) = (service.home, service)
            let closing = service.isClosing.signal.subscribe(onValue: { [outbox] isClosing in
                // A new job, so that the current batch is finished first.
                if isClosing { home.execute { outbox.end(.completed) } }
            })
            subscription.onDispose { [self] in
                closing.dispose()
                home.execute { [self] in leave(service) }
            }
            outbox.start(self, answering: requests, emitter, subscription)
        }
    }

    /// Answers requests until `Outbox.window` bytes of replies have accumulated.
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

    /// Ends the connection after the current request. As in Redis, replies that have not been sent are dropped.
    func leaveWithoutAnswers() {
        _ = answers.take()
        isLeaving.store(true, ordering: .relaxed)
    }

    private func leave(_ service: Service) {
        unsubscribeFromAll()
        state.withLock { $0.monitoring.take() }?.dispose()
        service.clients.remove(self)
    }
}
