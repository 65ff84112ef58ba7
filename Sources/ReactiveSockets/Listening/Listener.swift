public import ReactiveCore
public import ReactiveSignals
import ReactiveSupport

/// A socket that peers connect to.
///
/// It listens from its initialiser on: the kernel queues peers until somebody observes ``connections``. It is closed by
/// ``close()``, or when nobody refers to it or observes it.
public final class Listener: Sendable {
    /// The loop that connections are delivered on, and live on.
    public let loop: any LoopScheduler
    /// Where it listens; where port 0 was asked for, the port that the system has picked.
    public let localAddress: SocketAddress

    let core: UnsafeTransfer<ListenerCore>

    /// Listens on `address`. Any thread; the system is asked at once.
    ///
    /// `SO_REUSEADDR` is set, so that a server can be restarted at once; connections have `TCP_NODELAY` (rule N20). The
    /// socket file of a Unix server that has died is replaced, one in use is not; the file goes with the listener (N17).
    ///
    /// - Parameters:
    ///   - address: where; port 0 asks the system to pick one.
    ///   - loop: where connections are delivered, and live.
    ///   - backlog: how many peers the kernel queues.
    ///   - options: for the listening socket; connections inherit them.
    ///   - watermarks: for each connection.
    ///   - transformer: makes what stands between each connection and its descriptor; see ``ConnectionTransformer``.
    /// - Throws: `addressInUse`, `addressNotAvailable`, `permissionDenied`, `noSuchPath`, `outOfDescriptors` or `systemCall`,
    ///   with the address in its text. Nothing is left behind.
    public convenience init(
        on address: SocketAddress,
        loop: any LoopScheduler,
        backlog: Int32 = 4096,
        options: [SocketSetting] = [],
        watermarks: Watermarks = Watermarks(),
        transformer: (@Sendable () -> any ConnectionTransformer)? = nil
    ) throws(SocketError) {
        let template = ListenerCore.Template(watermarks: watermarks, transformer: transformer)
        try self.init(on: address, loop: loop, backlog: backlog, options: options, template: template)
    }

    init(
        on address: SocketAddress,
        loop: any LoopScheduler,
        backlog: Int32,
        options: [SocketSetting],
        template: ListenerCore.Template
    ) throws(SocketError) {
        let made = try ListeningSocket(on: address, backlog: backlog, options: options)
        self.loop = loop
        localAddress = made.socket.localAddress ?? address
        core = UnsafeTransfer(ListenerCore(made, loop, template, localAddress))
    }

    /// Takes over a socket that listens already: one that a service manager has handed down.
    ///
    /// It is the listener's from here on, and closed by it; it is made not to block and not to be inherited. A Unix socket's
    /// file stays when it is closed.
    ///
    /// - Throws: `badDescriptor` where it is no descriptor, no stream socket, or does not listen; it stays the caller's then.
    public init(
        adopting descriptor: Int32,
        loop: any LoopScheduler,
        watermarks: Watermarks = Watermarks(),
        transformer: (@Sendable () -> any ConnectionTransformer)? = nil
    ) throws(SocketError) {
        let socket = try SystemSocket.adopting(descriptor, .stream, listening: true)
        self.loop = loop
        localAddress = socket.localAddress ?? SocketAddress(family: .unix, bytes: [])
        let template = ListenerCore.Template(watermarks: watermarks, transformer: transformer)
        core = UnsafeTransfer(ListenerCore(ListeningSocket(socket: socket), loop, template, localAddress))
    }

    /// The peers that connect, as connections; it ends with ``close()`` only.
    ///
    /// Accepting starts with the subscription and waits while it is paused; disposing stops it, and peers stay in the
    /// kernel's queue. At most 64 are accepted in a turn. Out of descriptors it waits until some are free, with the peers in
    /// the queue, and nothing else is disturbed (rule N5). One observer at a time: a second one fails with
    /// `alreadyReceiving`; after `close()` it completes at once; on a loop that has been disposed it fails with `loop`.
    public var connections: Signal<Connection, SocketError> {
        let (core, loop) = (core, loop)
        return Signal { emitter, subscription in
            if let error = loop.disposedError { return emitter.fail(error) }
            subscription.onFlowChange { _ in
                loop.runOrExecute { core.value.flowChanged(subscription) }
            }
            loop.runOrExecute { core.value.start(emitter, subscription) }
            subscription.onDispose {
                loop.runOrExecute { core.value.stop(subscription) }
            }
        }
    }

    /// Stops listening: peers in the kernel's queue are refused, ``connections`` completes, the address is free. The
    /// connections that there are go on. Twice is once.
    public func close() {
        loop.runOrExecute { [core] in core.value.close() }
    }
}
