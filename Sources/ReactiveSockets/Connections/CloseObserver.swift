import ReactiveCore
import ReactiveSignals

/// Somebody who wants to know when a connection has ended.
struct EndObserver {
    /// By what they may lose interest before that.
    let subscription: SignalSubscription?
    let tell: @Sendable (Termination<SocketError>) -> Void

    var isOver: Bool { subscription?.isDisposed == true }
}
