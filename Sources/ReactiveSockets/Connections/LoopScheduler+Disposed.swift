// SPDX-License-Identifier: MIT
package import ReactiveCore
import ReactiveSupport

extension LoopScheduler {
    /// The error of a socket whose loop has been disposed or could not be created, or nil. Such a loop would never
    /// deliver an event.
    package var disposedError: SocketError? {
        if !isDisposed { return nil }
        if let creationFailure { return SocketError(notCreated: name, creationFailure) }
        return SocketError(.loop, "the loop \(name) has been disposed, so its sockets are closed")
    }
}
