// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveSupport

/// The outcome of one `send`. Only the socket's loop accesses it.
final class DatagramTicket {
    private var termination: Termination<SocketError>?
    private var observers: [Emitter<Never, SocketError>] = []
    /// The failure, if the outcome had no observer when the `send` failed.
    private var unobserved: UnobservedFailure<SocketError>?

    func end(_ termination: Termination<SocketError>) {
        self.termination = termination
        if observers.isEmpty, case .failed(let error) = termination {
            unobserved = UnobservedFailure(error, of: "DatagramSocket.send(_:)")
        }
        for observer in observers.takeAll() { observer.send(termination: termination) }
    }

    /// Notifies an observer now, or when the outcome is known.
    func notify(_ observer: Emitter<Never, SocketError>) {
        unobserved?.observe()
        if let termination { observer.send(termination: termination) } else { observers.append(observer) }
    }
}
