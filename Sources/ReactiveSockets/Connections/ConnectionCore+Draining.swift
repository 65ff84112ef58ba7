// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveSupport

/// The observers of the drain of the connection's server.
///
/// The server sets the mark of the context, then notifies its connections on their loops. Observers are added on the
/// loop too, so an observer either sees the mark or receives the notification.
extension ConnectionCore {
    /// Whether the drain has observers. They keep the watch, so disposing the loop releases them.
    var hasDrainObservers: Bool { extras?.drainObservers.isEmpty == false }

    func observeDrain(_ observer: ConnectionObserver<Void>) {
        if observer.subscription.isDisposed { return }
        guard isOpen else { return observer.emitter.complete() }
        if context.drain?.hasBegun == true { return observer.report() }
        ensureExtras().drainObservers.append(observer)
        updateWatch()
    }

    /// Notifies the observers that the server drains.
    func reportDrain() {
        for observer in takeDrainObservers() { observer.report() }
    }

    /// Completes the observers, because the connection has ended before a drain.
    func endDrainObservers() {
        for observer in takeDrainObservers() { observer.emitter.complete() }
    }

    private func takeDrainObservers() -> [ConnectionObserver<Void>] {
        guard let extras, !extras.drainObservers.isEmpty else { return [] }
        let observers = extras.drainObservers
        extras.drainObservers = []
        updateWatch()
        return observers
    }
}

extension ConnectionObserver<Void> {
    fileprivate func report() {
        emitter.send(())
        emitter.complete()
    }
}
