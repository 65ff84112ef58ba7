// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveSupport

/// The observers that are notified when the descriptor has been closed, such as those of `ended`.
extension ConnectionCore {
    /// Calls `completion` with the reason when the descriptor has been closed, or immediately if it is closed. If
    /// `subscription` has been disposed, `completion` may or may not be called.
    func whenClosed(
        _ subscription: SignalSubscription? = nil,
        _ completion: @escaping @Sendable (Termination<SocketError>) -> Void
    ) {
        if isOpen { return add(CloseObserver(subscription: subscription, completion: completion)) }
        completion(extras?.ending?.closeError.map { error in .failed(error) } ?? .completed)
    }

    /// Adds an observer. Now and then it removes disposed ones, because a connection may outlive any number of them.
    private func add(_ observer: CloseObserver) {
        if extras?.closeObservers.isEmpty ?? true, firstCloseObserver?.isDisposed ?? true {
            // Released last, because its release may run code that calls this method again (law 3).
            let last = firstCloseObserver
            firstCloseObserver = observer
            return withExtendedLifetime(last) {}
        }
        let extras = ensureExtras()
        extras.closeObservers.append(observer)
        if extras.closeObservers.count < Int(extras.closeObserverLimit) { return }
        let all = extras.closeObservers
        extras.closeObservers = all.filter { !$0.isDisposed }
        extras.closeObserverLimit = UInt32(clamping: max(16, 2 * extras.closeObservers.count))
        withExtendedLifetime(all) {}
    }

    /// Notifies all remaining observers after the descriptor has been closed.
    func notifyCloseObservers(_ termination: Termination<SocketError>) {
        reportWritability(Writability.Level.ended)
        notifyStreamEndObservers()
        let (first, others) = takeCloseObservers()
        first?.completion(termination)
        for observer in others { observer.completion(termination) }
        // Done last: the service's subscription is disposed, so it cannot react.
        endDrainObservers()
    }

    /// Notifies the observers, on the loop, that the last reference has been released. `deinit` calls it on any thread.
    func notifyCloseObserversOfRelease() {
        let (first, others) = takeCloseObservers()
        let left = UnsafeTransfer((sends: takeSends(), observers: (first.map { [$0] } ?? []) + others))
        if left.value.sends.isEmpty, left.value.observers.isEmpty { return }
        let error = SocketError(.closed, "the connection with \(peer) was closed: its last reference was released")
        loop.execute {
            for send in left.value.sends { send.fail(error) }
            for observer in left.value.observers { observer.completion(.failed(error)) }
        }
    }

    private func takeCloseObservers() -> (first: CloseObserver?, others: [CloseObserver]) {
        defer {
            firstCloseObserver = nil
            extras?.closeObservers = []
        }
        return (firstCloseObserver, extras?.closeObservers ?? [])
    }
}
