// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals

/// Sending the datagrams of signals.
extension DatagramCore: SignalDestination {
    var refusal: SocketError? { isOpen && !isClosing ? nil : refusalError }

    func write(_ datagram: Datagram, from source: SignalSubscription) {
        send(datagram) { [self] termination in
            // When the socket closes, one failure is reported, not one for each queued datagram.
            if case .failed(let error) = termination, isOpen { errors.send(error) }
        }
        if isAboveHighWatermark { sourcePauses.append(source.pause()) }
    }

    func whenWritten(_ end: @escaping @Sendable (Termination<SocketError>) -> Void) { waitForAll(end) }

    static func failure(ofSource failure: any Error) -> SocketError {
        SocketError(.sourceFailed, "cannot send datagrams: the source failed: \(failure)")
    }
}
