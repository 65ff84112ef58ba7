// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveSupport

/// The end of the peer's stream while nothing is received, and its observers (rule N26).
///
/// While there is no receiver, or the receiver is paused and the end has observers, the connection peeks, which consumes
/// no byte. Unread bytes would make the descriptor ready in every turn. So when the connection finds a byte, it stops
/// peeking until a receiver starts or resumes. A timer then looks for an end behind the unread bytes
/// (`measureHalfClosed()`).
extension ConnectionCore {
    /// Whether the end of the stream has observers. They keep the watch, so disposing the loop releases them.
    var hasStreamEndObservers: Bool { extras?.streamEndObservers.isEmpty == false }

    /// Whether the descriptor is watched only for the end of the stream.
    var isPeeking: Bool {
        guard !phase.isClosing, hasStreamEndObservers || subscription == nil else { return false }
        return receiving.peeks(for: readerState, holdsBytes: holdsTransformed)
    }

    /// Whether the transformer receives without a reader. After the end of sending only the end of the stream is usually
    /// left, for example the `close_notify` of TLS, and the connection would otherwise wait for it.
    var readsToEnd: Bool { isTransformed && subscription == nil && sending.hasFinished && isPeeking }

    func observeStreamEnd(_ observer: ConnectionObserver<Never>) {
        if observer.subscription.isDisposed { return }
        let isEndNext = receiving.stream == .endHeld && !holdsTransformed
        guard isOpen, !phase.isClosing, !receiving.hasEnded, !isEndNext else { return observer.emitter.complete() }
        ensureExtras().streamEndObservers.append(observer)
        updateWatch()
    }

    /// Checks for the end of the stream without consuming a byte. Call it only if `isPeeking` is true.
    func peek() {
        switch socket.peek() {
        case .wouldBlock: return
        case .failed(let code): return fail(.system("cannot receive from \(peer)", code))
        case .count(0) where subscription == nil: return takeEnd()
        case .count(0): notifyStreamEndObservers()
        case .count: receiving.findUnread()
        }
        updateWatch()
    }

    /// Completes the observers. Call it when only the end of the stream is left to receive, or when nothing more will
    /// be received.
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
