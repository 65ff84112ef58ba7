import ReactiveCore
import ReactiveSignals
import ReactiveSupport

/// One connection being served: who hears when its service has ended, and when it has gone.
final class Serving {
    private let server: ServerCore
    private let entry: ServedConnections.Entry
    private let begin: LoopInstant
    private let subscription = SignalSubscription()

    private init(_ server: ServerCore, _ entry: ServedConnections.Entry, _ begin: LoopInstant) {
        self.server = server
        self.entry = entry
        self.begin = begin
    }

    /// On the connection's loop.
    static func start(
        _ server: ServerCore,
        _ entry: ServedConnections.Entry,
        since begin: LoopInstant,
        _ service: @Sendable (Connection) -> Signal<Never, SocketError>
    ) {
        let connection = entry.connection
        let serving = Serving(server, entry, begin)
        let confined = Confined(serving)
        connection.core.value.whenEnded { termination in confined.value.ended(termination) }
        service(connection).attach(
            in: serving.subscription,
            { _ in },
            { termination in confined.value.serviceEnded(termination) }
        )
    }

    private func ended(_ termination: Termination<SocketError>) {
        subscription.dispose()
        server.ended(entry, since: begin, termination)
    }

    private func serviceEnded(_ termination: Termination<SocketError>) {
        guard subscription.end() else { return }
        switch termination {
        case .completed: entry.connection.close()
        case .failed: entry.connection.abort()
        }
    }
}
