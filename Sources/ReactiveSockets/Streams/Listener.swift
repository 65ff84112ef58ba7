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

    let core: Confined<ListenerCore>

    /// Listens on `address`. Any thread; the system is asked at once.
    ///
    /// `SO_REUSEADDR` is set, so that a server can be restarted at once; connections get `TCP_NODELAY`.
    ///
    /// - Parameters:
    ///   - address: where; port 0 asks the system to pick one.
    ///   - loop: where connections are delivered, and live.
    ///   - backlog: how many peers the kernel queues.
    ///   - watermarks: for each connection.
    /// - Throws: `addressInUse`, `addressNotAvailable`, `permissionDenied`, `outOfDescriptors` or `systemCall`, with the
    ///   address in its text. Nothing is left behind.
    public init(
        on address: SocketAddress,
        loop: any LoopScheduler,
        backlog: Int32 = 4096,
        watermarks: Watermarks = Watermarks()
    ) throws(SocketError) {
        let socket: SystemSocket
        switch SystemSocket.stream(address.family) {
        case .success(let made): socket = made
        case .failure(let error): throw SocketError.system("cannot listen on \(address)", error.code)
        }
        socket.setReuseAddress()
        var code = socket.bind(address)
        if code == 0 { code = socket.listen(backlog) }
        guard code == 0 else {
            socket.close()
            throw SocketError.system("cannot listen on \(address)", code)
        }
        self.loop = loop
        localAddress = socket.localAddress ?? address
        core = Confined(ListenerCore(socket, loop, watermarks, localAddress))
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
            if let over = loop.overError { return emitter.fail(over) }
            let flow = ToldFlow()
            loop.runOrExecute { core.value.start(emitter, subscription, flow) }
            flow.follow(subscription) {
                loop.runOrExecute { core.value.flowChanged(subscription) }
            }
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
