// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals

/// An observer of the closing of a connection's descriptor.
struct CloseObserver {
    /// Disposing this subscription removes the observer. `nil` means that the observer cannot be removed.
    let subscription: SignalSubscription?
    let completion: @Sendable (Termination<SocketError>) -> Void

    var isDisposed: Bool { subscription?.isDisposed == true }
}
