import ReactiveCore
import ReactiveSignals
import ReactiveSupport
import Synchronization

/// Who receives from a connection, as its subscription knows it: what it tells, from any thread, is for this one alone.
final class Receiver {
    private let core: ConnectionCore
    /// As far as it has been told: see ``ToldFlow``.
    private let pause = Atomic<Bool>(false)

    private init(_ core: ConnectionCore) { self.core = core }

    /// Subscribes: the whole of ``Connection/received``.
    static func start(_ core: ConnectionCore, _ sink: Sink<Bytes, SocketError>, _ subscription: SignalSubscription) {
        if subscription.isDisposed { return }
        let loop = core.loop
        if let over = loop.overError { return sink.receive(termination: .failed(over)) }
        let receiver = Confined(Receiver(core))
        // Not `runOrExecute`: nearly always it is here, and needs no closure.
        if loop.isCurrent {
            receiver.value.start(Reception(sink: sink, subscription: subscription))
        } else {
            let reception = Confined(Reception(sink: sink, subscription: subscription))
            loop.execute { receiver.value.start(reception.value) }
        }
        // One reference each, and so neither of these closures is memory of its own.
        subscription.onFlowChange { isPaused in receiver.value.told(isPaused) }
        subscription.onDispose { receiver.value.stop() }
    }

    /// Whether it has been told to wait.
    var isHeldBack: Bool { pause.load(ordering: .acquiring) }

    private func start(_ reception: Reception) {
        if !reception.subscription.isDisposed { core.startReceiving(self, reception) }
    }

    private func told(_ isPaused: Bool) {
        pause.store(isPaused, ordering: .releasing)
        let receiver = Confined(self)
        core.loop.runOrExecute { receiver.value.flowChanged() }
    }

    private func flowChanged() { core.receivingFlowChanged(self) }

    private func stop() {
        let receiver = Confined(self)
        core.loop.runOrExecute { receiver.value.stopped() }
    }

    private func stopped() { core.stopReceiving(self) }
}

/// What a connection sends to: the first stage of a subscription. It belongs to the loop.
///
/// What an emitter's gate does for others is not needed: the loop alone sends, a chunk is read only while nobody holds, and an
/// end that comes inside a delivery waits in the connection (law 2).
struct Reception {
    let sink: Sink<Bytes, SocketError>
    let subscription: SignalSubscription

    func end(_ termination: Termination<SocketError>) {
        if !subscription.isDisposed { sink.receive(termination: termination) }
    }
}
