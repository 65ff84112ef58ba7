// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSupport

/// The state that few connections have. Created on first use.
///
/// Each idle connection with a transformer has one of these objects. So large state that it does not need is elsewhere.
///
/// Safe: an unchecked field is read, replaced, appended to or filtered, while the caller retains the removed elements.
/// So no other code runs during an access. Run-time checks would cost 2 % of a short connection with TLS (Decision
/// 0049).
final class ConnectionExtras {
    var ending: ConnectionEnding?
    /// The signals that are being sent, except the first.
    @safe @exclusivity(unchecked)
    var sends: [SourceSubscription] = []
    /// The observers of the closing of the descriptor, except the first.
    @safe @exclusivity(unchecked)
    var closeObservers: [CloseObserver] = []
    /// The observers of the server's drain.
    @safe @exclusivity(unchecked)
    var drainObservers: [ConnectionObserver<Void>] = []

    /// When `closeObservers` has this many elements, the disposed ones are removed.
    var closeObserverLimit: UInt32 = 16

    // Transforming
    // `isCalling` prevents a second access during a call.
    @safe @exclusivity(unchecked)
    private var transformer: (any ConnectionTransformer)?
    /// Whether a call of the transformer is under way.
    private var isCalling = false
    // What the transformer has answered after its last call. A call through an existential costs more than these fields.
    private(set) var needsInput = false
    private(set) var isSuspended = false
    private(set) var heldCount = 0
    /// Transformed bytes that have not been delivered.
    @safe @exclusivity(unchecked)
    var undelivered = BytesQueue()
    @safe @exclusivity(unchecked)
    var waiting = TransformerWait()
    /// The number of bytes that the transformer has produced from received bytes since the send buffer had room.
    var replyCount = 0

    var timing: ConnectionTiming?
    /// The check of `ConnectionTimeouts.halfClosed`. `nil` before the end of the stream, unless bytes wait unread.
    var halfClosed: HalfClosedCheck?
    /// The other connection of a pipe.
    var partner: Weak<Connection>?

    /// The file of a Unix socket that was connected from a path. Closing removes it.
    var file: SocketFile?

    // The end of the stream
    @safe @exclusivity(unchecked)
    var streamEndObservers: [ConnectionObserver<Never>] = []

    /// The ending, created if there is none.
    func ensureEnding() -> ConnectionEnding { ending.orStore(ConnectionEnding()) }

    /// The transformer. nil without one, and during a call of it.
    var idleTransformer: (any ConnectionTransformer)? { isCalling ? nil : transformer }

    /// Sets the transformer of a connection that has none.
    func setTransformer(_ transformer: consuming any ConnectionTransformer) {
        self.transformer = transformer
        readAnswers(of: &self.transformer!)
    }

    /// Calls the transformer, then reads its answers.
    ///
    /// It traps if the transformer uses its own connection, which would otherwise send untransformed bytes.
    @inline(__always)
    func call(_ step: (inout any ConnectionTransformer) throws(SocketError) -> Void) throws(SocketError) {
        require(
            !isCalling,
            "a ConnectionTransformer used its own connection from a call: produce bytes through the `out` parameter"
        )
        isCalling = true
        defer {
            readAnswers(of: &transformer!)
            isCalling = false
        }
        try step(&transformer!)
    }

    /// `inout`, because a copy of an existential is expensive.
    private func readAnswers(of transformer: inout any ConnectionTransformer) {
        heldCount = transformer.heldCount
        needsInput = transformer.needsInput
        isSuspended = needsInput && transformer.isSuspended
    }

    /// Notifies the transformer that the connection has ended. During a call of it, the caller does so after the call.
    func endTransforming() {
        if isCalling { return }
        isCalling = true
        defer { isCalling = false }
        transformer?.connectionEnded()
    }
}
