// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals

/// The outcome of one `send`. Only the socket's loop accesses it.
final class DatagramTicket {
    private var termination: Termination<SocketError>?
    private var observers: [Emitter<Never, SocketError>] = []
    /// Whether a subscriber has asked for the outcome.
    private var isObserved = false

    deinit {
        if !isObserved, case .failed(let error)? = termination {
            UnhandledFailure.report(error, of: "DatagramSocket.send(_:)")
        }
    }

    func end(_ termination: Termination<SocketError>) {
        self.termination = termination
        let waiting = observers
        observers = []
        for observer in waiting { observer.send(termination: termination) }
    }

    /// Notifies an observer now, or when the outcome is known.
    func notify(_ observer: Emitter<Never, SocketError>) {
        isObserved = true
        if let termination { observer.send(termination: termination) } else { observers.append(observer) }
    }
}
