// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals

/// The subscriber of `received`: the first sink of its chain, and its subscription. Only the loop accesses it.
///
/// It needs no serializer (law 2). Only the loop sends to it. The connection reads no chunk during a pause. A
/// termination during a delivery waits until the delivery returns.
struct Reader {
    let sink: Sink<Bytes, SocketError>
    let subscription: SignalSubscription

    func end(_ termination: Termination<SocketError>) {
        if !subscription.isDisposed { sink.receive(termination: termination) }
    }
}
