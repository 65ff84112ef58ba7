import ReactiveCore
import ReactiveSignals
import ReactiveSupport

/// Sends what a signal sends through a connection, and holds the signal back for a slow peer.
final class SignalWriter {
    private let core: ConnectionCore
    /// The end's; also here, so that a value needs not look at the end.
    private let subscription: SignalSubscription
    private let handOver = HandOver()
    private let end: SendEnd

    init(_ core: ConnectionCore, _ end: SendEnd) {
        self.core = core
        self.end = end
        subscription = end.subscription
    }

    /// On the loop, before the first value: the connection's end ends this too.
    func start() {
        guard core.isOpen, !core.isFinishing else { return end.breakOff(core.closedError) }
        core.add(end)
    }

    func receive(_ value: Bytes) {
        if subscription.isDisposed { return }
        if isNext { write(value) } else { send(value) }
    }

    /// Whether this is the loop, and nothing is on its way to it.
    private var isNext: Bool { core.place.isCurrent && handOver.isNothingUnderWay }

    @inline(never)
    private func send(_ value: Bytes) {
        let writer = Confined(self)
        handOver.send(to: core.place.loop, holding: subscription) { writer.value.write(value) }
    }

    func receive<Failure: Error>(termination: Termination<Failure>) {
        guard subscription.end() else { return }
        if isNext { return finish(termination) }
        let writer = Confined(self)
        core.place.loop.execute { writer.value.finish(termination) }
    }

    private func write(_ bytes: Bytes) {
        if subscription.isDisposed, !core.isOpen { return }
        if let refusal = core.accept(bytes) { return stop(refusal) }
        if core.isAboveHighWatermark { core.holdBack(subscription) }
    }

    private func finish<Failure: Error>(_ termination: Termination<Failure>) {
        core.remove(end)
        switch termination {
        case .completed:
            let end = Confined(end)
            core.finishSending { termination in end.value.settle(termination) }
        case .failed(let failure):
            let error =
                failure as? SocketError ?? SocketError(.sourceFailed, "the signal being sent failed: \(failure)")
            core.abort(error)
            end.settle(.failed(error))
        }
    }

    private func stop(_ error: SocketError) {
        core.remove(end)
        end.breakOff(error)
    }
}
