// SPDX-License-Identifier: MIT
import ReactiveCore
public import ReactiveSignals
import ReactiveSupport

extension Connection {
    /// Sends a value when the server of the connection begins to drain, then completes.
    ///
    /// A service uses it to say goodbye within the grace period of ``Server/drain(within:)``:
    ///
    /// ```swift
    /// let goodbye = Signal<Bytes, SocketError>(just: "bye\n")
    /// let left = connection.received.filter { _ in false }
    /// return connection.send(from: news.take(until: connection.draining).concat(goodbye).take(until: left))
    /// ```
    ///
    /// `left` completes when the peer has ended its stream. Without it, the service would keep connections whose peers
    /// have left.
    ///
    /// After the drain has begun, a new subscriber receives the value immediately, even if the grace period is zero. If
    /// the connection ends before the drain, or the loop has been disposed, the signal completes without a value. For a
    /// connection without a server, it neither sends nor terminates. Any number of subscribers are allowed.
    public var draining: Signal<Void, Never> {
        let (core, loop) = (core, loop)
        guard core.value.context.drain != nil else { return .never }
        return Signal { emitter, subscription in
            if loop.isDisposed { return emitter.complete() }
            loop.runOrExecute {
                core.value.observeDrain(ConnectionObserver(emitter: emitter, subscription: subscription))
            }
            subscription.onDispose { loop.runOrExecute { core.value.dropDisposed(of: \.drainObservers) } }
        }
    }
}
