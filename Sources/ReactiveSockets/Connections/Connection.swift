// SPDX-License-Identifier: MIT
public import ReactiveCore
public import ReactiveSignals
import ReactiveSupport
import Synchronization

/// A byte stream in both directions, as signals: `connection.send(from: connection.received)` is an echo.
///
/// All events are delivered on the connection's loop. Any thread may use every member, except the options. A call on
/// the loop takes effect, and may notify subscribers, before it returns. A call from another thread takes effect in a
/// job of the loop, in the order of the calls. Every member may be called from a callback of the connection (rule N15).
///
/// The two directions end independently (half-close, rule N12). Receiving ends when the peer ends its stream, sending
/// when this side ends it. The descriptor is closed when both have ended or the connection fails. It is also closed
/// when the last reference is released, unless ``received`` or ``endOfStream`` has a subscriber or something is being
/// sent. Disposing the loop closes its connections immediately without notifying subscribers.
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

    /// Takes over a connected stream socket, such as one of a socket pair or an inherited one (rule N21).
    ///
    /// The new object owns the descriptor and closes it. It sets it to non-blocking and close-on-exec. A socket that is
    /// not connected is accepted, and fails with `reset` when it first receives or sends.
    ///
    /// - Parameters:
    ///   - descriptor: The open descriptor.
    ///   - loop: The loop that delivers all events.
    ///   - watermarks: The watermarks of the connection.
    ///   - transformer: The transformer of the connection. nil means none.
    /// - Throws: `badDescriptor` if the descriptor is closed, not a stream socket, or listening. The caller then still
    ///   owns it.
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
    /// The local address, also after the connection has ended. nil if it is unknown, as for a child's stream.
    public var localAddress: SocketAddress? { core.value.context.address }
    /// The address of the peer, also after the connection has ended. nil if it is unknown, as for a child's stream.
    public var remoteAddress: SocketAddress? { core.value.remote }

    // MARK: Receiving

    /// The bytes that the peer sends, in nonempty chunks of any size. Completes at end of stream (FIN).
    ///
    /// Reading starts with the subscription. While it is paused, bytes wait in the kernel, and TCP slows the peer down
    /// (law 11, Docs/Laws.md). At most one chunk is read per turn, so one peer cannot starve the others (rule S9).
    ///
    /// One subscriber is allowed at a time. Disposing its subscription stops reading, and the next subscriber continues
    /// with the next byte. After end of stream later subscribers complete immediately. The signal fails with:
    ///
    /// - `reset` if the peer resets the connection. Unread bytes may then be lost (RFC 9293 section 3.10.7.4).
    /// - `alreadyReceiving` if it already has a subscriber, which is not affected.
    /// - `closed` after ``close()`` or ``abort()``.
    /// - `loop` if the loop has been disposed or refuses a watch.
    /// - Any other error that ended the connection, such as `timedOut` or an error of the transformer.
    public var received: Signal<Bytes, SocketError> {
        .starting { [core] sink, subscription in ConnectionCore.receive(core, sink, subscription) }
    }

    /// Completes when the peer has ended its stream and all its bytes have been received, or when the connection ends.
    ///
    /// It sends no value and never fails. It also completes at ``close()``, and immediately on a disposed loop. Any
    /// number of subscribers are allowed. Subscribing consumes no bytes, and keeps the connection open.
    ///
    /// It works without a receiver and while the receiver is paused (rule N26). So a service can notice during other
    /// work that its peer has left: `connect.take(until: peer.endOfStream)`. Unread bytes hide the events after them,
    /// including a reset. A peer that only ends its stream cannot be distinguished from one that has left.
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

    /// Whether the waiting bytes are below the watermarks. It turns false when the waiting bytes reach the high
    /// watermark, and true again at the low one (rule N10).
    ///
    /// It is advice: ``send(_:)`` accepts bytes at any time. When the connection ends, the value is true and the signal
    /// of the property completes. Disposing the loop leaves the value unchanged.
    public var isWritable: ReadOnlyProperty<Bool> {
        let core = core.value
        let writability = core.writability.object(orStoring: Writability())
        atomicMemoryFence(ordering: .sequentiallyConsistent)
        return writability.property { core.reportedWritability.load(ordering: .sequentiallyConsistent) }
    }

    /// Sends bytes, after all earlier ones. It starts immediately, and queues the bytes that the kernel does not accept
    /// yet.
    ///
    /// The queue has no limit: observe ``isWritable`` or the result, or use ``send(from:)``. Empty bytes send nothing.
    ///
    /// - Parameter bytes: The bytes to send.
    /// - Returns: A signal that completes when the kernel has accepted these bytes and all earlier ones. It may be
    ///   ignored, or observed any number of times. Disposing a subscription does not withdraw the bytes. It fails with:
    ///   - `closed` if sending has been ended on this side.
    ///   - The error that ends the connection first, such as `reset`.
    ///   - `loop` if the loop has been disposed.
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
    /// It subscribes to `source` immediately, on the calling thread. It pauses `source` at the high watermark and
    /// resumes it at the low one (rule N10). If `source` fails, it resets the connection as ``abort()`` does, so that
    /// the peer does not mistake a part for the whole.
    ///
    /// Several sources may be sent at the same time. Their chunks are interleaved, and the first source that completes
    /// ends the stream. The results of the others fail with `closed`.
    ///
    /// - Parameter source: The bytes to send. It is disposed when the connection ends or ends sending.
    /// - Returns: A signal that completes when the kernel has accepted all bytes. It may be ignored, or observed any
    ///   number of times. Disposing a subscription does not stop `source`. It fails as the result of ``send(_:)`` does.
    ///   If `source` fails, it fails with the same error if that is a `SocketError`, otherwise with `sourceFailed`.
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

    /// Sets the time limits. They replace earlier ones and are counted from now.
    ///
    /// At a limit the connection fails with `timedOut`, and the waiting bytes are dropped. The idle limit is never
    /// early and at most a quarter late. While the receiver is paused, bytes that the peer sends do not count as
    /// traffic. The timers do not keep the loop in `runUntilIdle`. After the connection has ended, the call does
    /// nothing.
    ///
    /// - Parameter timeouts: The new limits. A limit of nil removes the earlier one.
    public func setTimeouts(_ timeouts: ConnectionTimeouts) {
        loop.runOrExecute { [core] in core.value.set(timeouts) }
    }

    /// Sets an option: `try connection.setOption(SocketOption.keepAlive(true))`. Call it on the connection's loop.
    ///
    /// - Parameter setting: The option and its value.
    /// - Throws: `loop` on another thread, or if the loop has been disposed. `closed`, or the error that ended the
    ///   connection, if it has ended. `permissionDenied` or `systemCall` if the system refuses (setsockopt(2)).
    public func setOption(_ setting: SocketSetting) throws(SocketError) {
        try openSocket().apply(setting)
    }

    /// Reads an option: `try connection.option(.sendBufferSize)`. Call it on the connection's loop.
    ///
    /// - Parameter option: The option.
    /// - Returns: The value that the system reports, which may differ from the one that was set.
    /// - Throws: The errors of ``setOption(_:)``.
    public func option<Value>(_ option: SocketOption<Value>) throws(SocketError) -> Value {
        try openSocket().value(of: option)
    }

    // Another thread could use a descriptor that the loop closes and the system reuses.
    private func openSocket() throws(SocketError) -> SystemSocket {
        guard loop.isCurrent else {
            throw SocketError(
                .loop,
                "cannot set or read an option of a connection here: do it in a job of its loop, \(loop.name)"
            )
        }
        guard core.value.isOpen else { throw core.value.refusalError }
        return core.value.socket
    }

    // MARK: Ending

    /// Terminates when the descriptor has been closed. Completes if both directions have ended or ``close()`` has
    /// succeeded.
    ///
    /// Any number of subscribers are allowed, and later ones receive the same termination. Subscribing does not keep
    /// the connection open. The signal fails with:
    ///
    /// - `closed` after ``abort()``, or if the last reference has been released.
    /// - `timedOut` at a limit of ``setTimeouts(_:)`` or ``close(within:)``, or if the peer of ``close()`` accepts
    ///   nothing.
    /// - `loop` if the loop has been disposed.
    /// - Any other error that ended the connection, such as `reset`.
    public var ended: Signal<Never, SocketError> {
        let (core, loop) = (core, loop)
        return Signal { emitter, subscription in
            if let error = loop.disposedError { return emitter.fail(error) }
            loop.runOrExecute { core.value.whenClosed(subscription) { emitter.send(termination: $0) } }
        }
    }

    /// Ends the stream after all bytes sent so far (shutdown(2)). Receiving continues (rule N12). Later calls do
    /// nothing.
    ///
    /// Later sends fail with `closed`. A ``send(from:)`` that is under way fails with `closed` too, and its source is
    /// disposed.
    public func finishSending() {
        loop.runOrExecute { [core] in core.value.finishSending(nil) }
    }

    /// Closes the connection gracefully: sends the waiting bytes and receives no more (rules N14, N24). Later calls do
    /// nothing.
    ///
    /// ``received`` fails with `closed`, and ``endOfStream`` completes. Later sends fail with `closed`. A
    /// ``send(from:)`` that is under way fails with `closed` too, and its source is disposed. Then:
    ///
    /// - If the peer accepts nothing for two seconds while bytes wait, it is reset and the waiting bytes are dropped.
    ///   ``ended`` and the pending sends fail with `timedOut`. This is never early and at most half a second late. A
    ///   slow peer receives everything.
    /// - When the kernel has accepted all bytes, received bytes are discarded. This ends when the peer ends its stream,
    ///   after two seconds, or when more than a mebibyte has arrived. Then the descriptor is closed, and ``ended``
    ///   completes. Without this the kernel would reset a socket that has unread data, and the peer would lose the last
    ///   bytes (RFC 9293 section 3.6.1).
    public func close() {
        loop.runOrExecute { [core] in core.value.close(within: nil) }
    }

    /// Closes the connection like ``close()``, but within `limit`, however slowly the peer accepts bytes.
    ///
    /// If bytes still wait at the limit, they are dropped, the peer is reset, and ``ended`` fails with `timedOut`.
    /// Otherwise the descriptor is closed, and ``ended`` completes.
    ///
    /// - Parameter limit: The maximum duration, counted from the call. A limit of zero or less sends only the bytes
    ///   that the kernel accepts immediately. The earliest limit of several calls applies, also after ``close()``.
    public func close(within limit: Duration) {
        loop.runOrExecute { [core] in core.value.close(within: limit) }
    }

    /// Resets the connection: the waiting bytes are dropped, and the peer receives a reset (rule N13). Later calls do
    /// nothing.
    ///
    /// Pending sends, ``received`` and ``ended`` fail with `closed`, and ``endOfStream`` completes. A Unix socket has
    /// no reset: its peer reads end of stream, unless this side has unread bytes.
    public func abort() {
        loop.runOrExecute { [core] in
            core.value.abort(
                SocketError(.closed, "the connection with \(core.value.peer) was aborted on this side")
            )
        }
    }
}
