// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveSupport

/// Why a connection cannot begin to transform its bytes now.
package enum UpgradeObstacle: Sendable {
    case alreadyTransformed
    /// A subscriber of `received` may keep bytes that arrived before, and would treat them as transformed ones.
    case receiving
    /// This side has ended sending.
    case sendingHasEnded
    /// The peer has ended its stream.
    case streamHasEnded
}

/// The upgrade of a connection without a transformer, as by STARTTLS.
extension ConnectionCore {
    private var obstacle: UpgradeObstacle? {
        if isTransformed { return .alreadyTransformed }
        if let subscription, !subscription.isDisposed { return .receiving }
        if sending.phase != .open { return .sendingHasEnded }
        if receiving.hasEnded { return .streamHasEnded }
        return nil
    }

    /// Transforms all bytes from now on. Bytes that have been sent before remain as they are, and precede the output of
    /// the transformer. `unread` is the beginning of the transformer's input.
    ///
    /// If that is not possible, the connection fails with the error that `refuse` returns.
    func upgrade(
        to transformer: any ConnectionTransformer,
        _ unread: Bytes,
        _ refuse: (UpgradeObstacle) -> SocketError
    ) {
        guard isOpen, !phase.isClosing else { return }
        if let obstacle { return fail(refuse(obstacle)) }
        beginTransforming(transformer)
        // A peek may have found bytes. They belong to the transformer.
        receiving.resume()
        begin()
        if isOpen, !unread.isEmpty { takeTransformed(unread) }
    }
}

extension Connection {
    /// Transforms all bytes from now on. On the loop it takes effect before it returns.
    ///
    /// - Parameters:
    ///   - make: Creates the transformer, on the loop.
    ///   - unread: Bytes that `received` has sent, and that the transformer must process.
    ///   - refuse: Returns the error with which the connection fails if the upgrade is not possible.
    package func upgrade(
        to make: @escaping @Sendable () -> any ConnectionTransformer,
        unread: Bytes,
        refuse: @escaping @Sendable (UpgradeObstacle) -> SocketError
    ) {
        loop.runOrExecute { [core] in core.value.upgrade(to: make(), unread, refuse) }
    }
}
