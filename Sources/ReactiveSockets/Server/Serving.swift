import ReactiveCore
import ReactiveSignals
import ReactiveSupport
import Synchronization

/// One connection being served: who hears when its service has ended, and when it has gone.
///
/// There is one for each connection, and so it has no more than 24 bytes: which connection it is the server's books say.
struct Serving: SinkTarget, ~Copyable {
    private let server: ServerCore
    private let begin: LoopInstant
    /// The connection's slot with the server, or none when it is over. The loop's alone; atomic since a target is constant.
    private let slot: Atomic<Int32>
    private static let none: Int32 = -1

    private init(_ server: ServerCore, _ slot: Int32, _ begin: LoopInstant) {
        self.server = server
        self.begin = begin
        self.slot = Atomic(slot)
    }

    /// On the connection's loop.
    static func start(
        _ server: ServerCore,
        _ entry: ServedConnections.Entry,
        since begin: LoopInstant,
        _ service: @Sendable (Connection) -> Signal<Never, SocketError>
    ) {
        let connection = entry.connection
        let signal = service(connection)
        let core = connection.core.value
        let sink = Confined(TargetSink(Serving(server, entry.slot, begin)))
        if let end = signal.origin as? SendEnd, core.isSending(end) {
            // Nearly always. It ends with the connection at the latest, so there is nothing to undo, and no subscription.
            core.whenEnded { termination in sink.value.target.ended(termination) }
            end.observe(sink.value)
        } else {
            let subscription = SignalSubscription()
            core.whenEnded { termination in
                subscription.dispose()
                sink.value.target.ended(termination)
            }
            // From any thread, and perhaps when the slot is another's.
            signal.subscribe(in: subscription, onTermination: { termination in serviceEnded(connection, termination) })
        }
    }

    private static func serviceEnded(_ connection: Connection, _ termination: Termination<SocketError>) {
        switch termination {
        case .completed: connection.close()
        case .failed: connection.abort()
        }
    }

    func receive(_: Never, _: TargetSink<Serving>) {}

    private func ended(_ termination: Termination<SocketError>) {
        let last = slot.exchange(Self.none, ordering: .relaxed)
        if last != Self.none { server.ended(last, since: begin, termination) }
    }

    func receive(termination: Termination<SocketError>, _: TargetSink<Serving>) {
        let slot = slot.load(ordering: .relaxed)
        if slot != Self.none, let connection = server.connection(in: slot) {
            Self.serviceEnded(connection, termination)
        }
    }
}
