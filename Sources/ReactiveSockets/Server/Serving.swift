// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveSupport
import Synchronization

/// The service of one connection: the sink of its termination, and the observer of the connection's end.
///
/// It has only 12 bytes, because each connection has one. It stores a slot, and the server finds the connection of that
/// slot.
struct Serving: SinkTarget, ~Copyable {
    private let server: ServerCore
    /// The connection's slot, or `none` after its end. Only the loop accesses it. Atomic only so that a constant value
    /// can change it.
    private let slot: Atomic<Int32>
    private static let none: Int32 = -1

    private init(_ server: ServerCore, _ slot: Int32) {
        self.server = server
        self.slot = Atomic(slot)
    }

    /// Starts the service. Call it on the connection's loop.
    static func start(
        _ server: ServerCore,
        _ entry: ServedConnections.Entry,
        _ service: @Sendable (Connection) -> Signal<Never, SocketError>
    ) {
        let connection = entry.connection
        let signal = service(connection)
        let core = connection.core.value
        let sink = UnsafeTransfer(TargetSink(Serving(server, entry.slot)))
        if let end = signal.origin as? SourceSubscription, core.isSending(end) {
            // The usual case. The signal terminates no later than the connection, so no subscription has to be
            // disposed.
            core.whenClosed { termination in sink.value.target.ended(termination) }
            end.observe(sink.value)
        } else {
            let subscription = SignalSubscription()
            // A connection whose loop is disposed releases this closure without a call.
            let scope = ScopedDisposable(subscription)
            core.whenClosed { termination in
                scope.dispose()
                sink.value.target.ended(termination)
            }
            signal.attach(TargetSink(ServiceEnd(connection, subscription)), in: subscription)
        }
    }

    func receive(_: Never, _: TargetSink<Serving>) {}

    private func ended(_ termination: Termination<SocketError>) {
        let last = slot.exchange(Self.none, ordering: .relaxed)
        if last != Self.none { server.ended(last, termination) }
    }

    func receive(termination: Termination<SocketError>, _: TargetSink<Serving>) {
        let slot = slot.load(ordering: .relaxed)
        if slot != Self.none, let connection = server.connection(in: slot) {
            connection.serviceEnded(termination)
        }
    }
}

/// The sink for a service that is no `send(from:)` of its own connection. It retains the connection, because the
/// service may terminate on any thread, when the slot may already belong to another connection.
private struct ServiceEnd: SinkTarget, ~Copyable {
    private let connection: Connection
    private let subscription: SignalSubscription

    init(_ connection: Connection, _ subscription: SignalSubscription) {
        self.connection = connection
        self.subscription = subscription
    }

    func receive(_: Never, _: TargetSink<ServiceEnd>) {}

    func receive(termination: Termination<SocketError>, _: TargetSink<ServiceEnd>) {
        if subscription.end() { connection.serviceEnded(termination) }
    }
}

extension Connection {
    fileprivate func serviceEnded(_ termination: Termination<SocketError>) {
        switch termination {
        case .completed: close()
        case .failed(let error): loop.runOrExecute { [core] in core.value.abort(error) }
        }
    }
}
