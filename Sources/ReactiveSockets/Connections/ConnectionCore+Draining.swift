// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveSupport

/// The observers of the drain of the connection's server.
///
/// The server sets the mark of the context, then notifies its connections on their loops. An observer that
/// finds the mark unset is therefore registered before the notification arrives.
extension ConnectionCore {
    /// Whether the drain has observers. They keep the watch, so disposing the loop releases them.
    var hasDrainObservers: Bool { extras?.drainObservers.isEmpty == false }

    func observeDrain(_ observer: DrainObserver) {
        if observer.subscription.isDisposed { return }
        guard isOpen else { return observer.emitter.complete() }
        if context.drain?.hasBegun == true { return observer.report() }
        neededExtras.drainObservers.append(observer)
        updateWatch()
    }

    func dropDrainObservers() {
        guard isOpen, let extras else { return }
        // Released last, because what they retain may use this connection (law 3).
        let last = extras.drainObservers
        extras.drainObservers = last.filter { !$0.subscription.isDisposed }
        updateWatch()
        withExtendedLifetime(last) {}
    }

    /// Notifies the observers that the server drains.
    func reportDrain() {
        for observer in takeDrainObservers() { observer.report() }
    }

    /// Completes the observers, because the connection has ended before a drain.
    func endDrainObservers() {
        for observer in takeDrainObservers() { observer.emitter.complete() }
    }

    private func takeDrainObservers() -> [DrainObserver] {
        guard let extras, !extras.drainObservers.isEmpty else { return [] }
        let observers = extras.drainObservers
        extras.drainObservers = []
        updateWatch()
        return observers
    }
}

/// An observer of the drain of a connection's server.
struct DrainObserver {
    let emitter: Emitter<Void, Never>
    let subscription: SignalSubscription

    func report() {
        emitter.send(())
        emitter.complete()
    }
}
