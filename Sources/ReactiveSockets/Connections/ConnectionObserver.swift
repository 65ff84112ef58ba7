// SPDX-License-Identifier: MIT
import ReactiveSignals
import ReactiveSupport

/// A subscriber of a signal of a connection, such as `endOfStream`.
struct ConnectionObserver<Value: Sendable> {
    let emitter: Emitter<Value, Never>
    /// Disposing this subscription removes the observer.
    let subscription: SignalSubscription
}

extension ConnectionCore {
    /// Removes the disposed observers of a list. Does nothing if the connection is closed.
    func dropDisposed<Value>(of list: ReferenceWritableKeyPath<ConnectionExtras, [ConnectionObserver<Value>]>) {
        guard isOpen, let extras else { return }
        // Released last, because their release may run code that uses this connection (law 3).
        let last = extras[keyPath: list]
        extras[keyPath: list] = last.filter { !$0.subscription.isDisposed }
        updateWatch()
        withExtendedLifetime(last) {}
    }
}
