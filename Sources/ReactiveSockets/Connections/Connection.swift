// SPDX-License-Identifier: MIT
public import ReactiveCore
public import ReactiveSignals
import ReactiveSupport
import Synchronization

/// A byte stream in both directions. Signals carry the bytes: `connection.send(from: connection.received)` is an echo.
///
/// All events are delivered on the connection's loop. Any thread may use every member, except the options. A call on
/// the loop takes effect, and may notify subscribers, before it returns. A call from another thread takes effect in a
/// job of the loop, in the order of the calls. Every member may be called from a callback of the connection (rule N15,
/// Docs/Contract.md).
///
/// The two directions end independently (half-close, rule N12). Receiving ends when the peer ends its stream. Sending
/// ends when this side ends its stream. The descriptor is closed when both have ended or the connection fails. It is
/// also closed when the last reference is released, unless ``received``, ``endOfStream`` or ``draining`` has a
/// subscriber or bytes are being sent. If another thread releases it, the loop closes the descriptor in its next turn.
/// Disposing the loop notifies no subscriber. It closes connections that receive or send; any other closes when its
/// last reference is released.
public final class Connection: Sendable {
    let core: UnsafeTransfer<ConnectionCore>

    init(
        _ socket: SystemSocket,
        in context: ConnectionContext,
        to remote: SocketAddress?,
        transformer: (any ConnectionTransformer)? = nil,
        preface: Bytes? = nil
    ) {
        core = UnsafeTransfer(ConnectionCore(socket, context, remote, transformer))
        if transformer != nil || preface != nil {
            context.loop.runOrExecute { [core] in core.value.begin(after: preface) }
        }
    }

    /// Takes ownership of a connected stream socket, such as one of a socket pair or an inherited one (rule N21).
    ///
    /// The initializer sets the descriptor to non-blocking and close-on-exec. The connection closes it. A socket that
    /// is not connected is accepted too, but the connection fails with `reset` when it first receives or sends.
    ///
    /// - Parameters:
    ///   - descriptor: The open descriptor.
    ///   - loop: The loop that delivers all events.
    ///   - watermarks: The watermarks of the connection.
    ///   - transformer: The transformer of the connection (``ConnectionTransformer``). `nil` means none.
    /// - Throws: `badDescriptor` if the descriptor is closed, not a stream socket, or listening. `loop` if the loop has
    ///   been disposed. After an error the caller still owns the descriptor.
    public convenience init(
        adopting descriptor: Int32,
        loop: any LoopScheduler,
        watermarks: Watermarks = Watermarks(),
        transformer: (any ConnectionTransformer)? = nil
    ) throws(SocketError) {
        if let error = loop.refusal(as: SocketError.self) { throw error }
        let socket = try SystemSocket.adopting(descriptor, .stream)
        let context = ConnectionContext(loop, watermarks, socket.localAddress)
        self.init(socket, in: context, to: socket.remoteAddress, transformer: transformer)
    }

    /// The loop that delivers all events.
    public var loop: any LoopScheduler { core.value.context.loop }
    /// The local address, even after the connection has ended. `nil` means unknown, as for a child's stream.
    ///
    /// Behind a trusted proxy, it is the address to which the client has connected (``proxy``).
    public var localAddress: SocketAddress? { core.value.context.address }
    /// The address of the peer, even after the connection has ended. `nil` means unknown, as for a child's stream.
    ///
    /// Behind a trusted proxy, it is the address of the client (``proxy``).
    public var remoteAddress: SocketAddress? { core.value.remote }

    // MARK: Receiving

    /// The bytes that the peer sends, in chunks of at least one byte. Completes at end of stream (FIN).
    ///
    /// Reading starts with the subscription. While the subscription is paused, bytes wait in the kernel, and TCP slows
    /// the peer down (law 11, Docs/Laws.md). At most one chunk is read per turn, so one peer cannot starve the others
    /// (rule S9).
    ///
    /// One subscriber is allowed at a time. Disposing its subscription stops reading, and the next subscriber continues
    /// with the next byte. After end of stream, new subscribers complete immediately. The signal fails with:
    ///
    /// - `reset` if the peer resets the connection. Unread bytes may then be lost (RFC 9293 section 3.10.7.4).
    /// - `alreadyReceiving` if it already has a subscriber. That subscriber is not affected.
    /// - `closed` after ``close()`` or ``abort()``.
    /// - `loop` if the loop has been disposed or refuses a watch.
    /// - Any other error that ended the connection, such as `timedOut` or an error of the transformer.
    public var received: Signal<Bytes, SocketError> {
        .starting { [core] sink, subscription in ConnectionCore.receive(core, sink, subscription) }
    }

    /// Completes when the peer has ended its stream and no unread bytes precede the end, or when the connection ends.
    ///
    /// It sends no value and never fails. It also completes when ``close()`` is called. On a disposed loop it completes
    /// immediately. Any number of subscribers are allowed. Subscribing consumes no bytes, and keeps the connection
    /// open.
    ///
    /// It works without a receiver and while the receiver is paused (rule N26). So news that a peer has requested can end
    /// when it leaves: `news.take(until: peer.endOfStream)`. The signal cannot distinguish a peer that has left from one
    /// that has ended its stream and still receives. So do not abandon work whose result the peer may wait for.
    ///
    /// Unread bytes hide all events after them, including a reset. A service that only sends should therefore receive
    /// too, and drop the bytes. With a transformer, unread bytes of its protocol count too, such as the `close_notify` of
    /// TLS. ``ConnectionTimeouts/halfClosed`` notices an end of stream behind unread bytes.
    public var endOfStream: Signal<Never, Never> {
        let (core, loop) = (core, loop)
        return Signal { emitter, subscription in
            if loop.isDisposed { return emitter.complete() }
            loop.runOrExecute {
                core.value.observeStreamEnd(ConnectionObserver(emitter: emitter, subscription: subscription))
            }
            subscription.onDispose { loop.runOrExecute { core.value.dropDisposed(of: \.streamEndObservers) } }
        }
    }

    // MARK: Sending

    /// Whether the queue of waiting bytes has room. It becomes false when the waiting bytes reach the high watermark,
    /// and true again when they fall to the low one (rule N10).
    ///
    /// It is only a hint: ``send(_:)`` accepts bytes at any time. When the connection ends, the value becomes true and
    /// the property's signal completes. Disposing the loop leaves the value unchanged.
    public var isWritable: ReadOnlyProperty<Bool> {
        let core = core.value
        let writability = core.writability.object(orStoring: Writability())
        atomicMemoryFence(ordering: .sequentiallyConsistent)
        return writability.property { core.reportedWritability.load(ordering: .sequentiallyConsistent) }
    }

    /// Sends bytes after all earlier ones. Bytes that the kernel does not accept yet are queued.
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
        return Signal { emitter, subscription in
            if let error = loop.refusal(as: SocketError.self) { return emitter.fail(error) }
            loop.runOrExecute { core.value.observe(ticket.value, with: emitter, subscription) }
        }
    }

    /// Sends all bytes of `source`, then ends the stream, as ``finishSending()`` does.
    ///
    /// It subscribes to `source` immediately, on the calling thread. It pauses `source` at the high watermark and
    /// resumes it at the low one (rule N10). If `source` fails, the connection is reset as by ``abort()``, so that the
    /// peer does not mistake the received part for the complete stream.
    ///
    /// Several sources may be sent at the same time. Their chunks are interleaved. The first source that completes ends
    /// the stream, and the results of the others fail with `closed`.
    ///
    /// - Parameter source: The bytes to send, as a signal, a subject or another source. The subscription to it is
    ///   disposed when sending ends.
    /// - Returns: A signal that completes when the kernel has accepted all bytes. It may be ignored, or observed any
    ///   number of times. Disposing a subscription does not stop `source`. It fails as the result of ``send(_:)`` does.
    ///   A failure that nothing receives is reported as an `UnhandledFailure`. If `source` fails with a `SocketError`,
    ///   the signal fails with that error. If `source` fails with another error, it fails with `sourceFailed`.
    @discardableResult
    @specialized(where Source == Signal<Bytes, SocketError>)
    @specialized(where Source == Signal<Bytes, Never>)
    public func send<Source: SignalSource>(from source: Source) -> Signal<Never, SocketError>
    where Source.Value == Bytes {
        if let error = loop.refusal(as: SocketError.self) { return .fail(error) }
        let subscription = UnsafeTransfer(SourceSubscription(core.value.context, SourceOutcome()))
        // Not `runOrExecute`: the caller is usually on the loop, and then needs no closure.
        if loop.isCurrent {
            core.value.begin(subscription.value)
        } else {
            loop.execute { [core] in core.value.begin(subscription.value) }
        }
        // If the connection has refused the source, `subscription` is disposed and this does nothing.
        if LiveGraph.isOn { LiveGraph.name(subscription.value, "Connection.send(from:)", for: core.value.peer) }
        Signal(source).attach(TargetSink(SignalWriter(core.value, subscription.value)), in: subscription.value)
        watchForEnd()
        return SourceSubscription.signal(subscription)
    }

    // MARK: Settings

    /// Sets the time limits. They replace earlier ones, and are counted from this call (rule N27).
    ///
    /// At a limit the connection fails with `timedOut`. If bytes wait to be sent, they are dropped and the peer is
    /// reset. Otherwise the peer receives end of stream, or a reset if received bytes are unread. No limit is reached
    /// early. Every limit except the lifetime may be reached up to a quarter late. `runUntilIdle()` of the loop does
    /// not wait for these timers. After the connection has ended, the call does nothing.
    ///
    /// Without a call, a connection has the limits of `ConnectionTimeouts()`.
    ///
    /// - Parameter timeouts: The new limits. A limit of `nil` removes the earlier one.
    public func setTimeouts(_ timeouts: ConnectionTimeouts) {
        loop.runOrExecute { [core] in
            core.value.set(timeouts)
            core.value.watchForEnd()
        }
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

    private func openSocket() throws(SocketError) -> SystemSocket {
        try loop.checkAccess(toOptionsOf: "a connection")
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
    /// - The error of the service, if the service of a ``Server`` has failed.
    /// - `timedOut` at a limit of ``setTimeouts(_:)`` or ``close(within:)``, or if the peer accepts no byte during
    ///   ``close()``.
    /// - `loop` if the loop had been disposed before the subscription. A disposal notifies no subscriber.
    /// - Any other error that ended the connection, such as `reset`.
    public var ended: Signal<Never, SocketError> {
        let (core, loop) = (core, loop)
        return Signal { emitter, subscription in
            if let error = loop.refusal(as: SocketError.self) { return emitter.fail(error) }
            loop.runOrExecute {
                core.value.whenClosed(subscription) { emitter.send(termination: $0) }
                core.value.watchForEnd()
            }
        }
    }

    /// Ends the stream after all bytes that have been sent so far (shutdown(2)). Receiving continues (rule N12). Later
    /// calls do nothing.
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
    /// - If the peer accepts no byte for two seconds while bytes wait, it is reset and the waiting bytes are dropped.
    ///   ``ended`` and the pending sends fail with `timedOut`. This is detected up to half a second late. A slow peer
    ///   receives everything.
    /// - When the kernel has accepted all bytes, received bytes are discarded until the peer ends its stream, for at
    ///   most two seconds and one mebibyte. Then the descriptor is closed, and ``ended`` completes. If received bytes
    ///   were left unread, the kernel would reset the connection, and the peer would lose the last bytes (RFC 9293
    ///   section 3.6.1).
    public func close() {
        loop.runOrExecute { [core] in core.value.close(within: nil) }
    }

    /// Closes the connection like ``close()``, but within `limit`, however slowly the peer accepts bytes.
    ///
    /// If bytes still wait at the limit, they are dropped, the peer is reset, and ``ended`` fails with `timedOut`.
    /// Otherwise the descriptor is closed, and ``ended`` completes.
    ///
    /// - Parameter limit: The maximum duration, counted from the call. A limit of zero or less sends only the bytes
    ///   that the kernel accepts immediately. After several calls, the earliest limit applies. You may call this after
    ///   ``close()``.
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
