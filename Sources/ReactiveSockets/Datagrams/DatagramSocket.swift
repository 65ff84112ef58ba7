// SPDX-License-Identifier: MIT
public import ReactiveCore
public import ReactiveSignals
import ReactiveSupport

/// A UDP or Unix datagram socket. Signals carry the datagrams: `socket.send(from: socket.received)` is an echo.
///
/// All events are delivered on the socket's loop. Any thread may use every member, except the options. A call on the
/// loop takes effect before it returns. A call from another thread takes effect in a job of the loop, in the order of
/// the calls. Every member may be called from a callback of the socket.
///
/// The network may lose, duplicate or reorder datagrams (RFC 768). A datagram that arrives is complete (rule N18). Its
/// sender may be forged. So limit the answers to each sender: otherwise two echo services may answer each other forever.
///
/// The socket closes after ``close()``, or when it has no references, no subscriber of ``received`` and no queued
/// datagrams. Disposing the loop closes the socket without notifying subscribers. A socket that receives or sends is
/// closed immediately, any other when its last reference is released.
public final class DatagramSocket: Sendable {
    /// The loop that delivers all events.
    public let loop: any LoopScheduler
    /// The local address. If port 0 was requested, it has the port that the system picked.
    public let localAddress: SocketAddress
    /// The address of the connected peer, or nil.
    public let remoteAddress: SocketAddress?

    let core: UnsafeTransfer<DatagramCore>

    private init(
        _ bound: BoundSocket,
        _ remote: SocketAddress?,
        _ loop: any LoopScheduler,
        _ maximumSize: Int,
        _ watermarks: Watermarks
    ) {
        self.loop = loop
        localAddress = bound.address
        remoteAddress = remote
        core = UnsafeTransfer(DatagramCore(bound, loop, remote, max(1, maximumSize), watermarks))
    }

    /// Opens a socket at `address` that receives from any sender. Any thread may call this initializer. The socket is
    /// bound when it returns.
    ///
    /// A Unix socket replaces the file of a dead socket, but never one that is in use (rules N17, N25). Closing the
    /// socket removes the file.
    ///
    /// - Parameters:
    ///   - address: The local address. Port 0 asks the system to pick a port.
    ///   - loop: The loop that delivers all events.
    ///   - options: Options to set before binding.
    ///   - maximumSize: The maximum size of a received datagram in bytes. A longer one is truncated
    ///     (``Datagram/isTruncated``). A value below 1 counts as 1.
    ///   - watermarks: The numbers of queued bytes at which ``send(from:)`` pauses and resumes its source.
    /// - Throws: `addressInUse`, `addressNotAvailable`, `permissionDenied`, `noSuchPath`, `outOfDescriptors` or
    ///   `systemCall` if the system refuses. The message names the address, and no socket or file is left behind. `loop`
    ///   if the loop has been disposed.
    public convenience init(
        on address: SocketAddress,
        loop: any LoopScheduler,
        options: [SocketSetting] = [],
        maximumSize: Int = 65536,
        watermarks: Watermarks = Watermarks()
    ) throws(SocketError) {
        if let error = loop.refusal(as: SocketError.self) { throw error }
        let operation = "cannot open a socket at \(address)"
        let bound = try BoundSocket(.datagram, address.family, options, at: address, for: operation) { _ in 0 }
        self.init(bound, nil, loop, maximumSize, watermarks)
    }

    /// Opens a socket that is connected to `peer`. It sends to `peer` by default, and receives from `peer` only.
    ///
    /// Any thread may call this initializer. The socket is connected when it returns, but nothing has been sent. If a
    /// UDP peer does not exist, ``errors`` reports that later.
    ///
    /// - Parameters:
    ///   - peer: The address of the peer.
    ///   - local: The local address. `nil` lets the system pick one. A Unix socket without a local address is unnamed,
    ///     so its peer cannot reply.
    ///   - loop: The loop that delivers all events.
    ///   - options: Options to set before binding.
    ///   - maximumSize: The maximum size of a received datagram in bytes. A longer one is truncated
    ///     (``Datagram/isTruncated``). A value below 1 counts as 1.
    ///   - watermarks: The numbers of queued bytes at which ``send(from:)`` pauses and resumes its source.
    /// - Throws: The errors of ``init(on:loop:options:maximumSize:watermarks:)``, and `unreachable`. For a Unix peer,
    ///   also `noSuchPath` if the file does not exist, and `refused` if no socket is bound to it.
    public convenience init(
        to peer: SocketAddress,
        from local: SocketAddress? = nil,
        loop: any LoopScheduler,
        options: [SocketSetting] = [],
        maximumSize: Int = 65536,
        watermarks: Watermarks = Watermarks()
    ) throws(SocketError) {
        if let error = loop.refusal(as: SocketError.self) { throw error }
        let operation = "cannot open a socket to \(peer)" + (local.map { " from \($0)" } ?? "")
        let bound = try BoundSocket(.datagram, peer.family, options, at: local, for: operation) { $0.connect(peer) }
        self.init(bound, peer, loop, maximumSize, watermarks)
    }

    /// Takes ownership of a datagram socket, such as one of a socket pair or an inherited one (rule N21).
    ///
    /// The initializer sets the descriptor to non-blocking and close-on-exec. The new object closes it. Closing does
    /// not remove the file of a Unix socket. If the socket is connected, ``remoteAddress`` is its peer.
    ///
    /// - Parameters:
    ///   - descriptor: The open descriptor.
    ///   - loop: The loop that delivers all events.
    ///   - maximumSize: The maximum size of a received datagram in bytes. A longer one is truncated
    ///     (``Datagram/isTruncated``). A value below 1 counts as 1.
    ///   - watermarks: The numbers of queued bytes at which ``send(from:)`` pauses and resumes its source.
    /// - Throws: `badDescriptor` if the descriptor is closed or not a datagram socket, and `loop` if the loop has been
    ///   disposed. After an error the caller still owns the descriptor.
    public convenience init(
        adopting descriptor: Int32,
        loop: any LoopScheduler,
        maximumSize: Int = 65536,
        watermarks: Watermarks = Watermarks()
    ) throws(SocketError) {
        if let error = loop.refusal(as: SocketError.self) { throw error }
        let socket = try SystemSocket.adopting(descriptor, .datagram)
        self.init(BoundSocket(socket), socket.remoteAddress, loop, maximumSize, watermarks)
    }

    // MARK: Receiving

    /// The received datagrams, including empty ones.
    ///
    /// Receiving starts with the subscription. While the subscription is paused, datagrams wait in the kernel, which
    /// drops those that do not fit (law 11, Docs/Laws.md). At most 32 are read per turn (rule S9).
    ///
    /// One subscriber is allowed at a time. After its subscription has been disposed, the next subscriber continues
    /// with the next datagram. The signal never completes. Errors that the network reports do not end it: ``errors``
    /// sends them. The signal fails with:
    ///
    /// - `closed` after ``close()``.
    /// - `alreadyReceiving` if it already has a subscriber. That subscriber is not affected.
    /// - `loop` if the loop has been disposed or refuses a watch.
    /// - The system's error if receiving becomes impossible.
    public var received: Signal<Datagram, SocketError> { DatagramCore.signal(of: core) }

    /// Errors of datagrams that were sent earlier, such as `refused` or `unreachable` (rule N18). They do not close the
    /// socket.
    ///
    /// For a connected socket, the system reports each such error once, at the next receive or send (RFC 1122 section
    /// 4.1.3.3). This signal also sends the failures of datagrams of ``send(from:)``. A subscriber receives only errors
    /// that occur after its subscription. The signal completes when the socket closes. On a disposed loop it completes
    /// immediately.
    public var errors: Signal<SocketError, Never> {
        core.value.errors.signal(unless: { [loop] in loop.isDisposed })
    }

    // MARK: Sending

    /// Sends a datagram to `peer`, after all earlier ones. If the kernel has no room, the datagram is queued.
    ///
    /// The queue has no limit: observe the result, or use ``send(from:)``. A Unix peer that does not read delays all
    /// later datagrams, including those to other peers.
    ///
    /// - Parameters:
    ///   - bytes: The payload. Empty bytes send an empty datagram.
    ///   - peer: The destination. A connected socket may send to other addresses too.
    /// - Returns: A signal that completes when the kernel has accepted the datagram. The network may still lose it. The
    ///   signal may be ignored, or observed any number of times. Disposing a subscription does not withdraw the
    ///   datagram. A failure does not close the socket. It fails with:
    ///   - `messageTooLarge`, `unreachable`, or `permissionDenied` (a broadcast without the option).
    ///   - `refused` or `noSuchPath` for a Unix peer that does not exist.
    ///   - `closed` after ``close()``, and `loop` if the loop has been disposed.
    @discardableResult
    public func send(_ bytes: Bytes, to peer: SocketAddress) -> Signal<Never, SocketError> {
        send(Datagram(bytes, to: peer))
    }

    /// Sends a datagram to the connected peer, like ``send(_:to:)``.
    ///
    /// - Parameter bytes: The payload. Empty bytes send an empty datagram.
    /// - Returns: A signal like that of ``send(_:to:)``. It also fails with `invalidAddress` if the socket is not
    ///   connected.
    @discardableResult
    public func send(_ bytes: Bytes) -> Signal<Never, SocketError> {
        send(Datagram(bytes))
    }

    /// Sends each datagram of `source` to its `peer`. A received datagram is therefore sent back to its sender.
    ///
    /// It subscribes to `source` immediately. It pauses `source` when the queue reaches the high watermark, and resumes
    /// it at the low watermark. A datagram counts as at least 256 bytes. If the kernel refuses a datagram, ``errors``
    /// sends the error, and the next datagram is sent. The socket stays open if `source` completes or fails.
    ///
    /// - Parameter source: The datagrams to send, as a signal, a subject or another source. A `peer` of `nil` means the
    ///   connected peer. The subscription to `source` is disposed when the socket closes.
    /// - Returns: A signal that completes when the kernel has accepted or refused every datagram. It may be ignored. It
    ///   fails with `closed` if the socket closes first, and with `loop` if the loop has been disposed. If `source`
    ///   fails with a `SocketError`, the signal fails with that error. If `source` fails with another error, it fails
    ///   with `sourceFailed`.
    @discardableResult
    public func send<Source: SignalSource>(from source: Source) -> Signal<Never, SocketError>
    where Source.Value == Datagram {
        if let error = loop.refusal(as: SocketError.self) { return .fail(error) }
        return DatagramCore.write(Signal(source), to: core, on: loop)
    }

    private func send(_ datagram: Datagram) -> Signal<Never, SocketError> {
        let ticket = UnsafeTransfer(DatagramTicket())
        let (core, loop) = (core, loop)
        loop.runOrExecute { core.value.send(datagram) { ticket.value.end($0) } }
        return Signal { emitter, _ in
            if let error = loop.refusal(as: SocketError.self) { return emitter.fail(error) }
            loop.runOrExecute { ticket.value.notify(emitter) }
        }
    }

    // MARK: Settings

    /// Sets an option: `try socket.setOption(SocketOption.broadcast(true))`. Call it on the socket's loop.
    ///
    /// - Parameter setting: The option and its value.
    /// - Throws: `loop` on another thread, or if the loop has been disposed. `closed`, or the error that closed the
    ///   socket, if it is closed. `permissionDenied` or `systemCall` if the system refuses (setsockopt(2)).
    public func setOption(_ setting: SocketSetting) throws(SocketError) {
        try openSocket().apply(setting)
    }

    /// Reads an option: `try socket.option(.receiveBufferSize)`. Call it on the socket's loop.
    ///
    /// - Parameter option: The option.
    /// - Returns: The value that the system reports, which may differ from the one that was set.
    /// - Throws: The errors of ``setOption(_:)``.
    public func option<Value>(_ option: SocketOption<Value>) throws(SocketError) -> Value {
        try openSocket().value(of: option)
    }

    private func openSocket() throws(SocketError) -> SystemSocket {
        try loop.checkAccess(toOptionsOf: "a socket")
        guard core.value.isOpen else { throw core.value.refusalError }
        return core.value.socket
    }

    // MARK: Closing

    /// Closes the socket. ``received`` fails with `closed` immediately. Later calls do nothing.
    ///
    /// A ``send(from:)`` that is under way fails with `closed`, and its source is disposed. Queued datagrams are still
    /// sent, for at most two seconds (rule N14). Then the remaining ones are dropped, and the results of these sends
    /// fail with `closed`. Last, ``errors`` completes.
    public func close() {
        loop.runOrExecute { [core] in core.value.close() }
    }
}
