import ReactiveCore
import ReactiveSignals

/// What a connection sends to: the first stage of a subscription. It belongs to the loop.
///
/// It needs no serializer (law 2): only the loop sends, the connection reads no chunk during a pause, and it keeps an end that comes
/// during a delivery until the delivery is over.
struct Reader {
    let sink: Sink<Bytes, SocketError>
    let subscription: SignalSubscription

    func end(_ termination: Termination<SocketError>) {
        if !subscription.isDisposed { sink.receive(termination: termination) }
    }
}
