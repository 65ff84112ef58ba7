import ReactiveCore
import ReactiveSignals
import ReactiveSupport

/// One connection being served: who hears when its service has ended, and when it has gone.
struct Serving: SinkTarget, ~Copyable {
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
        let sink = Confined(TargetSink(Serving(server, entry, begin)))
        connection.core.value.whenEnded { termination in sink.value.target.ended(termination) }
        service(connection).attach(sink.value, in: sink.value.target.subscription)
    }

    func receive(_: Never, _: TargetSink<Serving>) {}

    private func ended(_ termination: Termination<SocketError>) {
        subscription.dispose()
        server.ended(entry, since: begin, termination)
    }

    func receive(termination: Termination<SocketError>, _: TargetSink<Serving>) {
        guard subscription.end() else { return }
        switch termination {
        case .completed: entry.connection.close()
        case .failed: entry.connection.abort()
        }
    }
}
