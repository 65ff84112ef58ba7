import ReactiveCore
import ReactiveSignals
import ReactiveSupport
import Synchronization

/// Sends what a signal sends through a connection, and holds the signal back for a slow peer.
final class SignalWriter<Failure: Error>: Observer {
    typealias Value = Bytes

    private let core: Confined<ConnectionCore>
    private let loop: any LoopScheduler
    private let subscription: SignalSubscription
    private let end: Subject<Never, SocketError>
    /// Events on their way to the loop. While there are any, later ones have to queue behind them.
    private let underWay = Atomic<Int>(0)

    init(
        _ core: Confined<ConnectionCore>,
        _ loop: any LoopScheduler,
        _ subscription: SignalSubscription,
        _ end: Subject<Never, SocketError>
    ) {
        self.core = core
        self.loop = loop
        self.subscription = subscription
        self.end = end
    }

    /// On the loop, before the first value: the connection's end ends this too.
    func start() {
        // Held as parts: the connection is not to keep what keeps the connection.
        let (subscription, end) = (subscription, end)
        guard core.value.isOpen, !core.value.isFinishing else { return stop(core.value.closedError) }
        core.value.writers[ObjectIdentifier(self)] = { error in
            subscription.dispose()
            end.fail(error)
        }
    }

    func receive(_ value: Bytes) {
        if loop.isCurrent, underWay.load(ordering: .acquiring) == 0 { return write(value) }
        // The source is on another thread: it waits until the loop has taken this, so that no queue grows between.
        let hold = subscription.pause()
        underWay.add(1, ordering: .acquiringAndReleasing)
        loop.execute { [self] in
            underWay.subtract(1, ordering: .acquiringAndReleasing)
            write(value)
            hold.dispose()
        }
    }

    func receive(termination: Termination<Failure>) {
        if loop.isCurrent, underWay.load(ordering: .acquiring) == 0 { return finish(termination) }
        loop.execute { [self] in finish(termination) }
    }

    private func write(_ bytes: Bytes) {
        if subscription.isDisposed, !core.value.isOpen { return }
        if let refusal = core.value.accept(bytes) { return stop(refusal) }
        if core.value.isAboveHighWatermark { core.value.holdBack(subscription) }
    }

    private func finish(_ termination: Termination<Failure>) {
        let core = core.value
        core.writers[ObjectIdentifier(self)] = nil
        switch termination {
        case .completed: core.finishSending { [end] termination in end.send(termination: termination) }
        case .failed(let failure):
            let error =
                failure as? SocketError ?? SocketError(.sourceFailed, "the signal being sent failed: \(failure)")
            core.abort(error)
            end.fail(error)
        }
    }

    private func stop(_ error: SocketError) {
        core.value.writers[ObjectIdentifier(self)] = nil
        subscription.dispose()
        end.fail(error)
    }
}
