import ReactiveCore
import ReactiveSignals
import ReactiveSupport

/// The end of the peer's stream, for observers that receive nothing (rule N26).
///
/// While nobody receives, or the receiver is paused, the connection peeks: it takes no byte out of the socket. Unread bytes would make
/// the descriptor ready in every turn, so after the first of them the descriptor is watched for nothing until bytes are received.
extension ConnectionCore {
    /// Whether there are observers of the end: their connection is watched, and so ends with its loop.
    var hasStreamEndObservers: Bool { extras?.streamEndObservers.isEmpty == false }

    /// Whether the descriptor is watched for the end of the stream alone.
    private var isPeeking: Bool {
        hasStreamEndObservers && !phase.isClosing && receiving.peeks(for: readerState, holdsBytes: holdsTransformed)
    }

    func observeStreamEnd(_ observer: StreamEndObserver) {
        if observer.subscription.isDisposed { return }
        guard isOpen, !phase.isClosing, !receiving.hasEnded else { return observer.emitter.complete() }
        neededExtras.streamEndObservers.append(observer)
        updateWatch()
    }

    func dropStreamEndObservers() {
        guard isOpen, let extras else { return }
        // Released when the state is consistent: what they hold may use this connection while it is released.
        let last = extras.streamEndObservers
        extras.streamEndObservers = last.filter { !$0.subscription.isDisposed }
        updateWatch()
        withExtendedLifetime(last) {}
    }

    func peek() {
        guard isPeeking else { return updateWatch() }
        switch socket.peek() {
        case .wouldBlock: return
        case .failed(let code): return fail(.system("receiving from \(peer)", code))
        case .count(0): notifyStreamEndObservers()
        case .count: receiving.findUnread()
        }
        updateWatch()
    }

    /// Tells everyone who waits for the end of the stream: it is next, or nothing more will be received.
    @inline(__always)
    func notifyStreamEndObservers() {
        if let extras, !extras.streamEndObservers.isEmpty { notifyStreamEndObservers(extras) }
    }

    @inline(never)
    private func notifyStreamEndObservers(_ extras: ConnectionExtras) {
        let observers = extras.streamEndObservers
        extras.streamEndObservers = []
        for observer in observers { observer.emitter.complete() }
    }
}

/// An observer of the end of a peer's stream.
struct StreamEndObserver {
    let emitter: Emitter<Never, Never>
    let subscription: SignalSubscription
}
