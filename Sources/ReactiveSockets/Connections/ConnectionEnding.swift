// SPDX-License-Identifier: MIT
import ReactiveCore

/// The state that a connection has only at its end. Created on first use.
final class ConnectionEnding {
    /// The error that later sends and receivers fail with, or nil. A graceful close sets it too.
    var refusal: SocketError?
    /// The error that ended the connection, or nil. Observers of `ended` and of dropped sends receive it.
    var closeError: SocketError?
    /// The error of the system call that could not send, while the reader still receives.
    var sendError: SocketError?
    /// The number of received bytes at which the connection fails with `sendError`.
    var lastReceived = 0
    /// Whether the report of `closeError` is settled: a subscriber receives the failure, or `ConnectionCore.claimReport`
    /// has returned true.
    var isReportSettled = false
    /// The number of accepted bytes that were dropped.
    var droppedCount = 0
    /// A termination that waits until the current delivery returns. There is at most one, because no new reader can
    /// start after it.
    var lateTermination: (reader: Reader, termination: Termination<SocketError>)?
}
