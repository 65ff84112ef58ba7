// SPDX-License-Identifier: MIT
import ReactiveCore
package import ReactiveSignals
import ReactiveSupport

extension Connection {
    /// Whether the connection can send files without reading them: it has no transformer. Call it on the loop.
    package var sendsFiles: Bool { !core.value.isTransformed }

    /// Sends a part of a file after everything that has been sent so far. Call it on the loop.
    ///
    /// The connection retains the file until the kernel has accepted the part or the connection has ended. It sends at
    /// most 256 KiB at a time, then waits for the next turn. If the file becomes shorter than the part, the connection is
    /// reset. The connection must have no transformer. Otherwise the call traps.
    ///
    /// - Parameters:
    ///   - part: The part of the file.
    ///   - source: Paused while the queue is above its watermarks, as the source of a `send(from:)` is.
    package func send(_ part: FilePart, pausing source: SignalSubscription) {
        precondition(loop.isCurrent)
        core.value.send(part, pausing: source)
    }
}
