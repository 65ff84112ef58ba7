public import ReactiveCore
public import ReactiveSignals
import ReactiveSupport
import Synchronization

/// A byte stream in both directions, as signals: `connection.send(from: connection.received)` is an echo.
///
/// All events are delivered on the connection's loop. Any thread may use every member, except the options.
///
/// The two directions end independently (half-close, rule N12). Receiving ends when the peer ends its stream, sending when this
/// side ends it. The descriptor is closed when both have ended or the connection fails. It is also closed when the last reference
/// is released, unless ``received`` or ``endOfStream`` has a subscriber or something is being sent. Disposing the loop closes its
/// connections immediately without notifying subscribers.
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

    /// Takes over a connected stream socket, such as one of a socket pair or an inherited one.
    ///
    /// The new object owns the descriptor and closes it. It sets it to non-blocking and close-on-exec.
    ///
    /// - Throws: `badDescriptor` if the descriptor is closed, not a stream socket, or listening. The caller then still owns it.
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

    /// The loop that delivers all events.
    public var loop: any LoopScheduler { core.value.context.loop }
    /// The local address, or nil if it is unknown.
    public var localAddress: SocketAddress? { core.value.context.address }
    /// The address of the peer, or nil if it is unknown.
    public var remoteAddress: SocketAddress? { core.value.remote }

    // MARK: Receiving

    /// The bytes that the peer sends, in chunks of any size. Completes at end of stream (FIN).
    ///
    /// Reading starts with the subscription. While it is paused, bytes wait in the kernel, and TCP slows the peer down (law 11). At
    /// most one chunk is read per turn, so one peer cannot starve the others (rule S9). One subscriber is allowed at a time.
    /// Disposing its subscription stops reading, and the next subscriber continues with the next byte. After end of stream later
    /// subscribers complete immediately. The signal fails with:
    ///
    /// - `reset` if the peer resets the connection.
    /// - `alreadyReceiving` if it already has a subscriber.
    /// - `closed` after ``close()`` or ``abort()``.
    /// - `loop` if the loop has been disposed or refuses a watch.
    /// - Any other error that ended the connection.
    public var received: Signal<Bytes, SocketError> {
        .starting { [core] sink, subscription in ConnectionCore.receive(core, sink, subscription) }
    }

    /// Completes when the peer has ended its stream and all its bytes have been received, or the connection has ended in any way.
    ///
    /// It sends no value and never fails. On a disposed loop it completes immediately. Any number of subscribers are allowed.
    /// Subscribing consumes no bytes, and keeps the connection open. It works without a receiver and while the receiver is paused,
    /// so a service can notice during other work that its peer has left (rule N26): `connect.take(until: peer.endOfStream)`.
    ///
    /// Unread bytes hide whatever follows them, including a reset. A peer that only ends its stream looks like one that has left.
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

    /// Whether the connection is below its watermarks. It turns false when the waiting bytes reach the high watermark, and true
    /// again at the low one (rule N10). When the connection ends, it is true and its signal completes.
    public var isWritable: ReadOnlyProperty<Bool> {
        let core = core.value
        let writability = core.writability.object(orStoring: Writability())
        atomicMemoryFence(ordering: .sequentiallyConsistent)
        return writability.property { core.reportedWritability.load(ordering: .sequentiallyConsistent) }
    }

    /// Sends bytes, after all earlier ones. It starts immediately, and queues the bytes that the kernel does not accept yet.
    ///
    /// The result may be ignored. It completes when the kernel has accepted all bytes. It fails with `closed` if sending has been
    /// ended on this side, with the error that ends the connection first, such as `reset`, or with `loop` if the loop has been
    /// disposed.
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

    /// Sends all bytes of `source`, then ends the stream, as ``finishSending()`` does.
    ///
    /// It subscribes to `source` immediately, and pauses it at the high watermark until the low one. If `source` fails, it resets
    /// the connection, so the peer cannot take a part for the whole.
    ///
    /// The result may be ignored. It completes when the kernel has accepted all bytes. It fails as ``send(_:)`` does. If `source`
    /// fails, it fails with the same error if that is a `SocketError`, otherwise with `sourceFailed`.
    @discardableResult
    @specialized(where Failure == SocketError)
    @specialized(where Failure == Never)
    public func send<Failure: Error>(from source: Signal<Bytes, Failure>) -> Signal<Never, SocketError> {
        if let error = loop.disposedError { return .fail(error) }
        let subscription = UnsafeTransfer(SourceSubscription(core.value.context, SourceOutcome()))
        // Not `runOrExecute`: the caller is usually on the loop, and then needs no closure.
        if loop.isCurrent {
            core.value.begin(subscription.value)
        } else {
            loop.execute { [core] in core.value.begin(subscription.value) }
        }
        // Does nothing if the connection has refused: `subscription` is disposed then.
        source.attach(TargetSink(SignalWriter(core.value, subscription.value)), in: subscription.value)
        return SourceSubscription.signal(subscription)
    }

    // MARK: Settings

    /// Sets the time limits. They replace earlier ones and are counted from now. At a limit the connection fails with `timedOut`.
    ///
    /// The idle limit is never early and at most a quarter late. While the receiver is paused, bytes that the peer sends do not
    /// count as traffic.
    public func setTimeouts(_ timeouts: ConnectionTimeouts) {
        loop.runOrExecute { [core] in core.value.set(timeouts) }
    }

    /// Sets an option: `try connection.setOption(SocketOption.keepAlive(true))`. Call it on the connection's loop.
    ///
    /// - Throws: `closed`, or the error that ended the connection, if it has ended. `loop` on another thread. `permissionDenied` or
    ///   `systemCall` if the system refuses.
    public func setOption(_ setting: SocketSetting) throws(SocketError) {
        try openSocket().apply(setting)
    }

    /// Reads an option: `try connection.option(.sendBufferSize)`. Call it on the connection's loop.
    ///
    /// - Throws: The errors of ``setOption(_:)``.
    public func option<Value>(_ option: SocketOption<Value>) throws(SocketError) -> Value {
        try openSocket().value(of: option)
    }

    // Another thread could use a descriptor that the loop closes and the system reuses.
    private func openSocket() throws(SocketError) -> SystemSocket {
        guard loop.isCurrent else {
            throw SocketError(.loop, "a connection's options are set and read in work of its loop, \(loop.name)")
        }
        guard core.value.isOpen else { throw core.value.refusalError }
        return core.value.socket
    }

    // MARK: Ending

    /// Terminates when the descriptor has been closed. Completes if both directions have ended or ``close()`` has succeeded.
    ///
    /// It fails with the error that ended the connection, with `closed` after ``abort()`` or if the last reference has been released,
    /// and with `loop` if the loop has been disposed. Later subscribers receive the same termination. Subscribing does not keep
    /// the connection open.
    public var ended: Signal<Never, SocketError> {
        let (core, loop) = (core, loop)
        return Signal { emitter, subscription in
            if let error = loop.disposedError { return emitter.fail(error) }
            loop.runOrExecute { core.value.whenClosed(subscription) { emitter.send(termination: $0) } }
        }
    }

    /// Ends the stream after all bytes sent so far. Receiving continues (rule N12). Later calls do nothing.
    ///
    /// A ``send(from:)`` that is under way fails with `closed`, and its source is disposed.
    public func finishSending() {
        loop.runOrExecute { [core] in core.value.finishSending(nil) }
    }

    /// Closes the connection gracefully: sends the waiting bytes and receives no more (rules N14, N24). Later calls do nothing.
    ///
    /// - If the peer accepts nothing for two seconds while bytes wait, it is reset and the waiting bytes are dropped. ``ended`` and
    ///   the pending sends fail with `timedOut`. This is never early and at most half a second late. A slow peer receives
    ///   everything.
    /// - When the kernel has accepted all bytes, received bytes are discarded until the peer ends its stream, two seconds have
    ///   passed, or more than a mebibyte has arrived. Then the descriptor is closed, and ``ended`` completes. Without this the
    ///   kernel would reset a socket that has unread data, and the peer would lose the last bytes.
    public func close() {
        loop.runOrExecute { [core] in core.value.close(within: nil) }
    }

    /// Closes the connection like ``close()``, but within `limit`, however slowly the peer accepts bytes.
    ///
    /// If bytes still wait at the limit, they are dropped, the peer is reset, and ``ended`` fails with `timedOut`. Otherwise the
    /// descriptor is closed, and ``ended`` completes. A limit of zero or less sends only what the kernel accepts immediately. The
    /// earliest limit of several calls applies, also after ``close()``.
    public func close(within limit: Duration) {
        loop.runOrExecute { [core] in core.value.close(within: limit) }
    }

    /// Resets the connection: the waiting bytes are dropped, and the peer receives a reset (rule N13). Later calls do nothing.
    /// Pending sends, ``received`` and ``ended`` fail with `closed`.
    public func abort() {
        loop.runOrExecute { [core] in core.value.abort(SocketError(.closed, "the connection was aborted")) }
    }
}
