import ReactiveCore
import ReactiveSignals

/// The observers of the closing of the descriptor.
extension ConnectionCore {
    /// Calls `tell` when the descriptor has been closed, with the reason; at once if it is closed. If `subscription` is over by then, the
    /// call may be left out.
    func whenEnded(
        _ subscription: SignalSubscription? = nil,
        _ tell: @escaping @Sendable (Termination<SocketError>) -> Void
    ) {
        if isOpen { return add(EndObserver(subscription: subscription, tell: tell)) }
        if let breakOff = extras?.breakOff { tell(.failed(breakOff)) } else { tell(.completed) }
    }

    /// Observers that are over are removed from time to time: a connection may outlive any number of them.
    private func add(_ ender: EndObserver) {
        if extras?.enders.isEmpty ?? true, firstEnder?.isOver ?? true {
            // Released when the state is consistent: what it retains may call this again while it is released.
            let last = firstEnder
            firstEnder = ender
            return withExtendedLifetime(last) {}
        }
        let extras = neededExtras
        extras.enders.append(ender)
        if extras.enders.count < extras.mostEnders { return }
        let all = extras.enders
        extras.enders = all.filter { !$0.isOver }
        extras.mostEnders = max(16, 2 * extras.enders.count)
        withExtendedLifetime(all) {}
    }

    /// Notifies all observers of the end that are left when the descriptor has been closed.
    func tellEnders(_ termination: Termination<SocketError>) {
        tellWritability(Writability.Level.over)
        tellStreamEnd()
        let (first, others) = (firstEnder, extras?.enders ?? [])
        firstEnder = nil
        extras?.enders = []
        first?.tell(termination)
        for ender in others { ender.tell(termination) }
    }
}
