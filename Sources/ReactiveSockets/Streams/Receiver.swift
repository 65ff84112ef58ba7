import ReactiveCore
import ReactiveSignals
import ReactiveSupport
import Synchronization

/// Who receives from a connection: the first stage of its subscription, which the connection sends to directly.
///
/// Made on the subscriber's thread, it belongs to the loop from ``start()`` on; only ``told(_:)`` and ``stop()`` are for any
/// thread. What an emitter's gate does for others is not needed: the loop alone sends, a chunk is read only while nobody
/// holds, and an end that comes inside a delivery waits in the connection (law 2).
final class Receiver {
    let subscription: SignalSubscription
    private let place: ConnectionPlace
    /// Nil when it is over: whoever still holds this holds nothing else by it (law 6).
    private var core: ConnectionCore?
    /// Nil when it is over.
    private(set) var sink: Sink<Bytes, SocketError>?
    /// As far as it has been told: see ``ToldFlow``.
    private let pause = Atomic<Bool>(false)

    init(_ core: ConnectionCore, _ sink: Sink<Bytes, SocketError>, _ subscription: SignalSubscription) {
        place = core.place
        self.core = core
        self.sink = sink
        self.subscription = subscription
    }

    /// Subscribes: the whole of ``Connection/received``.
    static func start(_ core: ConnectionCore, _ sink: Sink<Bytes, SocketError>, _ subscription: SignalSubscription) {
        if subscription.isDisposed { return }
        let loop = core.loop
        if let over = loop.overError { return sink.receive(termination: .failed(over)) }
        // One reference each, and so none of these closures is memory of its own.
        let receiver = Confined(Receiver(core, sink, subscription))
        loop.runOrExecute { receiver.value.start() }
        subscription.onFlowChange { isPaused in receiver.value.told(isPaused) }
        subscription.onDispose { receiver.value.stop() }
    }

    /// Whether it has been told to wait.
    var isHeldBack: Bool { pause.load(ordering: .acquiring) }

    func end(_ termination: Termination<SocketError>) {
        let last = sink
        letGo()
        last?.receive(termination: termination)
    }

    private func letGo() {
        core = nil
        sink = nil
    }

    private func start() {
        if subscription.isDisposed { letGo() } else { core?.startReceiving(self) }
    }

    private func told(_ isPaused: Bool) {
        pause.store(isPaused, ordering: .releasing)
        let receiver = Confined(self)
        place.loop.runOrExecute { receiver.value.flowChanged() }
    }

    private func flowChanged() { core?.receivingFlowChanged(self) }

    private func stop() {
        let receiver = Confined(self)
        place.loop.runOrExecute { receiver.value.stopped() }
    }

    private func stopped() {
        let core = core
        letGo()
        core?.stopReceiving(self)
    }
}
