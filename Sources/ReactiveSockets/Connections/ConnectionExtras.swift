// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSupport

/// The state that few connections have, or that a connection has only at its end. Created on first use.
final class ConnectionExtras {
    /// The error that later sends and receivers fail with, or nil. A graceful close sets it too.
    var refusal: SocketError?
    /// The error that ended the connection, or nil. Observers of `ended` and of dropped sends receive it.
    var closeError: SocketError?
    /// Whether `closeError` has been delivered to a subscriber or reported as unhandled.
    var isFailureObserved = false
    /// The number of accepted bytes that were dropped.
    var droppedCount = 0
    /// A termination that waits until the current delivery returns. There is at most one, because no new reader can
    /// start after it.
    var lateTermination: (reader: Reader, termination: Termination<SocketError>)?
    /// The signals that are being sent, except the first.
    var sends: [SourceSubscription] = []
    /// The observers of the closing of the descriptor, except the first.
    var closeObservers: [CloseObserver] = []
    /// When `closeObservers` has this many elements, the disposed ones are removed.
    var closeObserverLimit = 16
    /// The observers of the server's drain.
    var drainObservers: [ConnectionObserver<Void>] = []

    // Transforming
    var transformer: (any ConnectionTransformer)?
    /// Transformed bytes that have not been delivered.
    var undelivered = FIFO<Bytes>()
    var heldTickets: [SendTicket] = []
    var heldCompletions: [@Sendable (Termination<SocketError>) -> Void] = []
    /// Callbacks for the end of sending, which waits for the transformer.
    var heldEnds: [SendBacklog.SendEnd] = []
    /// The number of bytes that the transformer has produced from received bytes since the send buffer had room.
    var replyCount = 0
    /// The time limit of the transformer's need of input.
    var inputTimer: (any Disposable)?

    var timing: ConnectionTiming?

    /// The file of a Unix socket that was connected from a path. Closing removes it.
    var file: SocketFile?

    // The end of the stream
    var streamEndObservers: [ConnectionObserver<Never>] = []
}
