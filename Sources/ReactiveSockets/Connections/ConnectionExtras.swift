// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSupport

/// The state that few connections have. Created on first use.
///
/// Each idle connection with a transformer has one of these objects. So large state that it does not need is elsewhere.
final class ConnectionExtras {
    var ending: ConnectionEnding?
    /// The signals that are being sent, except the first.
    var sends: [SourceSubscription] = []
    /// The observers of the closing of the descriptor, except the first.
    var closeObservers: [CloseObserver] = []
    /// When `closeObservers` has this many elements, the disposed ones are removed.
    var closeObserverLimit = 16
    /// The observers of the server's drain.
    var drainObservers: [ConnectionObserver<Void>] = []

    // Transforming
    /// nil without a transformer, and during a call of it.
    private(set) var transformer: (any ConnectionTransformer)?
    // What the transformer has answered after its last call. A call through an existential costs more than these fields.
    private(set) var heldCount = 0
    private(set) var needsInput = false
    private(set) var isSuspended = false
    /// Transformed bytes that have not been delivered.
    // Safe: the methods of the queue call no other code, so accesses cannot overlap.
    @safe @exclusivity(unchecked)
    var undelivered = BytesQueue()
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

    /// The ending, created if there is none.
    var neededEnding: ConnectionEnding {
        if let ending { return ending }
        let made = ConnectionEnding()
        ending = made
        return made
    }

    /// Sets the transformer, or returns it after a call.
    func setTransformer(_ transformer: any ConnectionTransformer) {
        heldCount = transformer.heldCount
        needsInput = transformer.needsInput
        isSuspended = needsInput && transformer.isSuspended
        self.transformer = transformer
    }

    func attach(_ resumption: TransformerResumption) {
        var transformer = takeTransformer()
        transformer.attach(resumption)
        setTransformer(transformer)
    }

    /// Notifies the transformer that the connection has ended. During a call of it, the caller does so after the call.
    func endTransforming() {
        guard var transformer = transformer.take() else { return }
        transformer.connectionEnded()
        self.transformer = transformer
    }

    /// Removes the transformer for a call. This detects a transformer that uses its own connection, which would otherwise
    /// send untransformed bytes.
    func takeTransformer() -> any ConnectionTransformer {
        guard let transformer = transformer.take() else {
            preconditionFailure(
                "a ConnectionTransformer used its own connection from a call: produce bytes through the `out` parameter"
            )
        }
        return transformer
    }
}
