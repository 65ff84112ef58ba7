import ReactiveCore
import ReactiveSignals

/// Somebody who wants to know when a connection has ended.
struct CloseObserver {
    /// By what they may lose interest before that.
    let subscription: SignalSubscription?
    let completion: @Sendable (Termination<SocketError>) -> Void

    var isDisposed: Bool { subscription?.isDisposed == true }
}
