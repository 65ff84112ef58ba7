import ReactiveCore
import ReactiveSignals

/// What a connection sends to: the first stage of a subscription. It belongs to the loop.
///
/// What an emitter's serializer does for others is not needed: the loop alone sends, a chunk is read only while nobody holds, and an
/// end that comes inside a delivery waits in the connection (law 2).
struct Reception {
    let sink: Sink<Bytes, SocketError>
    let subscription: SignalSubscription

    func end(_ termination: Termination<SocketError>) {
        if !subscription.isDisposed { sink.receive(termination: termination) }
    }
}
