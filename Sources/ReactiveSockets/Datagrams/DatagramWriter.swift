import ReactiveCore
import ReactiveSignals
import ReactiveSupport

/// Sends what a signal sends through a datagram socket, and holds the signal back while the kernel takes no more.
final class DatagramWriter<Failure: Error>: Observer {
    typealias Value = Datagram

    private let core: Confined<DatagramCore>
    private let loop: any LoopScheduler
    private let subscription: SignalSubscription
    private let end: Subject<Never, SocketError>
    private let handOver = HandOver()

    init(
        _ core: Confined<DatagramCore>,
        _ loop: any LoopScheduler,
        _ subscription: SignalSubscription,
        _ end: Subject<Never, SocketError>
    ) {
        self.core = core
        self.loop = loop
        self.subscription = subscription
        self.end = end
    }

    /// On the loop, before the first value: the socket's end ends this too.
    func start() {
        let writing = DatagramCore.Writing(subscription: subscription, end: end)
        guard core.value.isOpen, !core.value.isClosing else { return writing.breakOff(core.value.closedError) }
        core.value.writers[ObjectIdentifier(end)] = writing
    }

    func receive(_ value: Datagram) {
        if handOver.isThere(on: loop) { return write(value) }
        handOver.send(to: loop, holding: subscription) { [self] in write(value) }
    }

    func receive(termination: Termination<Failure>) {
        if handOver.isThere(on: loop) { return finish(termination) }
        loop.execute { [self] in finish(termination) }
    }

    private func write(_ datagram: Datagram) {
        let core = core.value
        // The socket has told its end already.
        guard core.isOpen, !core.isClosing else { return }
        core.send(datagram) { termination in
            // That the socket has ended everybody is told once, and not for each datagram that was waiting.
            if case .failed(let error) = termination, core.isOpen { core.errors.send(error) }
        }
        if core.isAboveHighWatermark { core.holdBack(subscription) }
    }

    private func finish(_ termination: Termination<Failure>) {
        let core = core.value
        guard core.writers.removeValue(forKey: ObjectIdentifier(end)) != nil else { return }
        switch termination {
        case .completed: core.waitForAll { [end] termination in end.send(termination: termination) }
        case .failed(let failure):
            end.fail(failure as? SocketError ?? SocketError(.sourceFailed, "the signal being sent failed: \(failure)"))
        }
    }
}
