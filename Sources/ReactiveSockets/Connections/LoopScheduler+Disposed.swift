// SPDX-License-Identifier: MIT
package import ReactiveCore

extension LoopScheduler {
    /// The error of a socket whose loop has been disposed, or nil. Such a loop would never deliver an event.
    package var disposedError: SocketError? {
        isDisposed ? SocketError(.loop, "the loop \(name) has been disposed, so its sockets are closed") : nil
    }
}
