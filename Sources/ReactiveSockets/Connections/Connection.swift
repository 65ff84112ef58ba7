public import ReactiveCore
public import ReactiveSignals
import ReactiveSupport
import Synchronization

/// A stream of bytes in both directions, as signals: `connection.send(from: connection.received)` is an echo.
///
/// Everything is delivered on the connection's loop; every member may be used from any thread. Reading ends when the peer
/// has sent all it has, writing when this side has: either can go on without the other (half-close, rule N12). When both have
/// ended, or one breaks off, the descriptor is closed. A connection that nobody refers to, receives from or sends
/// through is closed too. With its loop a connection ends at once, and nobody is told: there is no loop left to tell it on.
public final class Connection: Sendable {
    let core: UnsafeTransfer<ConnectionCore>

    init(
        _ socket: SystemSocket,
        in context: ConnectionContext,
        to remote: SocketAddress?,
        transformer: (any ConnectionTransformer)?
    ) {
        core = UnsafeTransfer(ConnectionCore(socket, context, remote, transformer))
        if transformer != nil { context.loop.runOrExecute { [core] in core.value.begin() } }
    }

    convenience init(
        _ socket: SystemSocket,
        on loop: any LoopScheduler,
        from local: SocketAddress?,
        to remote: SocketAddress?,
        watermarks: Watermarks,
        transformer: (any ConnectionTransformer)? = nil
    ) {
        self.init(socket, in: ConnectionContext(loop, watermarks, local), to: remote, transformer: transformer)
    }

    /// Takes over a connected stream socket that somebody else has made: one of a socket pair, one handed down.
    ///
    /// It is the connection's from here on, and closed by it; it is made not to block and not to be inherited.
    ///
    /// - Throws: `badDescriptor` where it is no descriptor, no stream socket, or listens; it stays the caller's then.
    public convenience init(
        adopting descriptor: Int32,
        loop: any LoopScheduler,
        watermarks: Watermarks = Watermarks(),
        transformer: (any ConnectionTransformer)? = nil
    ) throws(SocketError) {
        let socket = try SystemSocket.adopting(descriptor, .stream)
        let (local, remote) = (socket.localAddress, socket.remoteAddress)
        self.init(socket, on: loop, from: local, to: remote, watermarks: watermarks, transformer: transformer)
    }

    /// The loop that everything is delivered on.
    public var loop: any LoopScheduler { core.value.context.loop }
    /// The address of this end.
    public var localAddress: SocketAddress? { core.value.context.address }
    /// The address of the peer.
    public var remoteAddress: SocketAddress? { core.value.remote }

    // MARK: Receiving

    /// What the peer sends, in chunks of no particular size; completes when the peer has sent all (`FIN`), fails with
    /// `reset` when it breaks off.
    ///
    /// Reading starts with the subscription and waits while it is paused: then the peer's sending is slowed down by TCP, and
    /// nothing is kept here (law 11). At most one chunk is read in a turn, so one peer cannot starve the others (rule S9).
    /// One observer at a time: a second one fails with `alreadyReceiving`. Disposing stops reading, and another may go on
    /// where it stopped. After the end the end comes again; after ``close()`` it fails with `closed`, on a loop that has been
    /// disposed with `loop`.
    public var received: Signal<Bytes, SocketError> {
        .starting { [core] sink, subscription in ConnectionCore.receive(core, sink, subscription) }
    }

    /// Completes when nothing more can be received: the peer has ended its stream and everything before that has been received, or the
    /// connection has ended in any way. It never sends and never fails; on a loop that has been disposed it completes at once.
    ///
    /// Observing it takes no bytes away, and works while nobody receives or the receiver is paused: it is how a service notices
    /// that its peer has left while it works on something else (rule N26). `connect.take(until: peer.endOfStream)` gives up
    /// connecting when the peer leaves. Bytes that nobody has received hide what comes behind them, a reset included. A peer that
    /// only sends its end and still reads checksPerTimeout like one that has left. Observing keeps the connection open, as receiving does.
    /// Any number of observers; delivered on the connection's loop.
    public var endOfStream: Signal<Never, Never> {
        let (core, loop) = (core, loop)
        return Signal { emitter, subscription in
            if loop.disposedError != nil { return emitter.complete() }
            loop.runOrExecute {
                core.value.observeStreamEnd(StreamEndObserver(emitter: emitter, subscription: subscription))
            }
            subscription.onDispose { loop.runOrExecute { core.value.dropStreamEndObservers() } }
        }
    }

    // MARK: Sending

    /// Whether less than the high watermark is waiting to be sent. It turns false at the high one and true again at the
    /// low one, and not between (rule N10). When the connection has ended it is true and its signal completes.
    public var isWritable: ReadOnlyProperty<Bool> {
        let core = core.value
        let writability = core.writability.object(orStoring: Writability())
        atomicMemoryFence(ordering: .sequentiallyConsistent)
        return writability.property { core.reportedWritability.load(ordering: .sequentiallyConsistent) }
    }

    /// Sends bytes, after everything sent before. It starts at once; what the kernel does not take now is kept and sent
    /// when it does.
    ///
    /// The result may be let go of. It completes when the kernel has all of the bytes, and fails with the error that kept
    /// it from taking them: `reset`, or `closed` where sending had been ended on this side.
    @discardableResult
    public func send(_ bytes: Bytes) -> Signal<Never, SocketError> {
        let ticket = UnsafeTransfer(SendTicket())
        let (core, loop) = (core, loop)
        loop.runOrExecute { core.value.send(bytes, ticket.value) }
        return Signal { emitter, _ in
            if let error = loop.disposedError { return emitter.fail(error) }
            loop.runOrExecute { core.value.observe(ticket.value, with: emitter) }
        }
    }

    /// Sends everything that `source` sends, then ends sending: the peer sees the end of the stream.
    ///
    /// It starts at once, and holds `source` back while more than the high watermark is waiting. Where `source` fails, the
    /// connection is broken off, so that the peer cannot take a part for the whole. The result may be let go of; it
    /// completes when the kernel has everything, and fails as ``send(_:)`` does, or with `sourceFailed`.
    @discardableResult
    @specialized(where Failure == SocketError)
    @specialized(where Failure == Never)
    public func send<Failure: Error>(from source: Signal<Bytes, Failure>) -> Signal<Never, SocketError> {
        if let error = loop.disposedError { return .fail(error) }
        let end = UnsafeTransfer(SourceSubscription(core.value.context, SourceOutcome()))
        // Not `runOrExecute`: nearly always it is here, and needs no closure.
        if loop.isCurrent {
            core.value.begin(end.value)
        } else {
            loop.execute { [core] in core.value.begin(end.value) }
        }
        // Does nothing where the connection has refused already.
        source.attach(TargetSink(SignalWriter(core.value, end.value)), in: end.value)
        return SourceSubscription.signal(end)
    }

    // MARK: Settings

    /// Sets how long it may be idle and how long it may last from now on; on either it breaks off with `timedOut`. Setting
    /// them again begins anew.
    ///
    /// The idle end is never early and at most a quarter late. A peer that is not read from, because whoever receives has
    /// paused, counts as idle.
    public func setTimeouts(_ timeouts: ConnectionTimeouts) {
        loop.runOrExecute { [core] in core.value.set(timeouts) }
    }

    /// Sets an option: `try connection.setOption(SocketOption.keepAlive(true))`. On the connection's loop only.
    ///
    /// - Throws: `closed` after the end; `loop` on another thread; `systemCall` where the system refuses.
    public func setOption(_ setting: SocketSetting) throws(SocketError) {
        try openSocket().apply(setting)
    }

    /// What an option is set to: `try connection.option(.sendBufferSize)`. On the connection's loop only.
    ///
    /// - Throws: as ``setOption(_:)`` does.
    public func option<Value>(_ option: SocketOption<Value>) throws(SocketError) -> Value {
        try openSocket().value(of: option)
    }

    // Off the loop the descriptor could be closed, and its number be somebody else's, in between.
    private func openSocket() throws(SocketError) -> SystemSocket {
        guard loop.isCurrent else {
            throw SocketError(.loop, "a connection's options are set and read in work of its loop, \(loop.name)")
        }
        guard core.value.isOpen else { throw core.value.refusalError }
        return core.value.socket
    }

    // MARK: Ending

    /// When the descriptor has gone: completes where both directions have ended or ``close()`` has done its work, fails with
    /// the error where the connection broke off; ``abort()`` fails it with `closed`. After the end the end comes again. On a
    /// loop that has been disposed it fails with `loop`.
    public var ended: Signal<Never, SocketError> {
        let (core, loop) = (core, loop)
        return Signal { emitter, subscription in
            if let error = loop.disposedError { return emitter.fail(error) }
            loop.runOrExecute { core.value.whenClosed(subscription) { emitter.send(termination: $0) } }
        }
    }

    /// Ends sending after what has been sent so far, as the end of the stream. Receiving goes on (rule N12). Twice is once.
    ///
    /// A `send(from:)` that is under way ends here with `closed`, and its source is disposed.
    public func finishSending() {
        loop.runOrExecute { [core] in core.value.finishSending(nil) }
    }

    /// Ends the connection: sends what was sent before this call, receives nothing more (rules N14, N24). Any thread; closing
    /// twice is closing once.
    ///
    /// - A peer that takes nothing for two seconds, and never early, is reset: the rest is dropped, ``ended`` and the sends that
    ///   still wait fail with `timedOut`. The time may be up to half a second more. A slow peer gets everything.
    /// - When everything has been sent, the descriptor is closed as soon as the peer has ended too, after two seconds, or when the
    ///   peer has sent another mebibyte. What it sends is discarded: the kernel resets a socket that is closed with unread
    ///   data, and the peer would lose the last bytes. ``ended`` completes.
    public func close() {
        loop.runOrExecute { [core] in core.value.close(within: nil) }
    }

    /// Ends the connection as ``close()`` does, and within `limit`, however slowly the peer takes the rest.
    ///
    /// When the limit is over, a peer that has not got everything is reset, and ``ended`` fails with `timedOut`. Zero and less give it no
    /// time: only what the kernel takes at once is sent. Of several limits the earliest counts, also after ``close()``.
    public func close(within limit: Duration) {
        loop.runOrExecute { [core] in core.value.close(within: limit) }
    }

    /// Breaks the connection off: what waits is dropped and the peer gets a reset (rule N13). Twice is once.
    public func abort() {
        loop.runOrExecute { [core] in core.value.abort(SocketError(.closed, "the connection was aborted")) }
    }
}
