import ReactiveCore
import ReactiveSignals

/// The observers of the closing of the descriptor.
extension ConnectionCore {
    /// Calls `completion` when the descriptor has been closed, with the reason; at once if it is closed. If `subscription` is over by then, the
    /// call may be left out.
    func whenClosed(
        _ subscription: SignalSubscription? = nil,
        _ completion: @escaping @Sendable (Termination<SocketError>) -> Void
    ) {
        if isOpen { return add(CloseObserver(subscription: subscription, completion: completion)) }
        if let closeError = extras?.closeError { completion(.failed(closeError)) } else { completion(.completed) }
    }

    /// Observers that are over are removed from time to time: a connection may outlive any number of them.
    private func add(_ observer: CloseObserver) {
        if extras?.closeObservers.isEmpty ?? true, firstCloseObserver?.isDisposed ?? true {
            // Released when the state is consistent: what it retains may call this again while it is released.
            let last = firstCloseObserver
            firstCloseObserver = observer
            return withExtendedLifetime(last) {}
        }
        let extras = neededExtras
        extras.closeObservers.append(observer)
        if extras.closeObservers.count < extras.closeObserverLimit { return }
        let all = extras.closeObservers
        extras.closeObservers = all.filter { !$0.isDisposed }
        extras.closeObserverLimit = max(16, 2 * extras.closeObservers.count)
        withExtendedLifetime(all) {}
    }

    /// Notifies all observers of the end that are left when the descriptor has been closed.
    func notifyCloseObservers(_ termination: Termination<SocketError>) {
        reportWritability(Writability.Level.ended)
        notifyStreamEndObservers()
        let (first, others) = (firstCloseObserver, extras?.closeObservers ?? [])
        firstCloseObserver = nil
        extras?.closeObservers = []
        first?.completion(termination)
        for observer in others { observer.completion(termination) }
    }
}
