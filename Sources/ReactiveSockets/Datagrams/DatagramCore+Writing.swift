import ReactiveCore
import ReactiveSignals

/// How a socket sends the datagrams of signals.
extension DatagramCore: SignalDestination {
    var refusal: SocketError? { isOpen && !isClosing ? nil : closedError }

    func write(_ datagram: Datagram, from source: SignalSubscription) {
        send(datagram) { [self] termination in
            // The socket's own end is reported once, and not for each datagram that was waiting.
            if case .failed(let error) = termination, isOpen { errors.send(error) }
        }
        if isAboveHighWatermark { heldSources.append(source.pause()) }
    }

    func whenWritten(_ end: @escaping @Sendable (Termination<SocketError>) -> Void) { waitForAll(end) }

    static func failure(ofSource failure: any Error) -> SocketError {
        SocketError(.sourceFailed, "the signal being sent failed: \(failure)")
    }
}
