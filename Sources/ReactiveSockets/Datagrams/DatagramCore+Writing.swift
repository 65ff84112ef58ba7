// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals

/// Sending the datagrams of signals.
extension DatagramCore: SignalDestination {
    var refusal: SocketError? { acceptsDatagrams ? nil : refusalError }

    func write(_ datagram: Datagram, from source: SignalSubscription) {
        guard acceptsDatagrams else { return }
        send(datagram) { [self] termination in
            // If the socket has closed, the failures of the queued datagrams are not reported one by one.
            if case .failed(let error) = termination, isOpen { errors.send(error) }
        }
        if isAboveHighWatermark { pause(source) }
    }

    func whenWritten(_ settle: @escaping @Sendable (Termination<SocketError>) -> Void) { waitForAll(settle) }

    static var writing: StaticString { "DatagramSocket.send(from:)" }

    static func failure(ofSource failure: any Error) -> SocketError {
        SocketError(.sourceFailed, "cannot send datagrams: the source failed: \(failure)")
    }
}
