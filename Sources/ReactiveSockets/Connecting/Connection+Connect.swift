public import ReactiveCore
public import ReactiveSignals
import ReactiveSupport

extension Connection {
    /// Connects to an address, once for each subscription: sends the connection and completes.
    ///
    /// Disposing gives up and closes the socket. It fails once (rule N7), with `refused`, `unreachable`, `timedOut`,
    /// `noSuchPath`, `permissionDenied`, `outOfDescriptors` or `systemCall`, and the address in the text; `loop` where the
    /// loop has been disposed.
    public static func connect(
        to address: SocketAddress,
        loop: any LoopScheduler,
        settings: ConnectSettings = ConnectSettings()
    ) -> Signal<Connection, SocketError> {
        connect(toAnyOf: [address], loop: loop, settings: settings)
    }

    /// Connects to whichever of several addresses answers first, trying them in turn as RFC 8305 has it ("happy eyeballs"):
    /// the families alternate, beginning with the first address's, and the next is tried as soon as one fails or has not answered
    /// for the attempt delay. The first connection is sent, the others are closed.
    ///
    /// Where all fail it fails with the first address's code and every address's reason in the text; without any address
    /// with `unknownHost`. Else it is as ``connect(to:loop:settings:)``.
    public static func connect(
        toAnyOf addresses: [SocketAddress],
        loop: any LoopScheduler,
        settings: ConnectSettings = ConnectSettings()
    ) -> Signal<Connection, SocketError> {
        Signal { emitter, subscription in
            if let error = loop.disposedError { return emitter.fail(error) }
            let race = UnsafeTransfer(ConnectRace(addresses, loop, settings, emitter))
            subscription.onDispose { loop.runOrExecute { race.value.cancel() } }
            loop.runOrExecute { race.value.start() }
        }
    }

    /// Looks a host's name up, off the loop, and connects to whichever of its addresses answers first.
    ///
    /// The settings' timeout is for both together. It fails as ``Resolver/addresses(of:port:loop:timeout:)`` and
    /// ``connect(toAnyOf:loop:settings:)`` do; a numeric address is not looked up.
    public static func connect(
        toHost host: String,
        port: Int,
        loop: any LoopScheduler,
        resolver: Resolver = .system,
        settings: ConnectSettings = ConnectSettings()
    ) -> Signal<Connection, SocketError> {
        Signal { emitter, subscription in
            let begin = loop.now
            resolver.addresses(of: host, port: port, loop: loop, timeout: settings.timeout)
                .flatMap { addresses in
                    var settings = settings
                    settings.timeout -= loop.now - begin
                    return connect(toAnyOf: addresses, loop: loop, settings: settings)
                }
                .subscribe(emitter, in: subscription)
        }
    }
}
