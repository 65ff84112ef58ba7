// SPDX-License-Identifier: MIT
public import ReactiveCore
public import ReactiveSignals
import ReactiveSupport

extension Connection {
    /// Connects to an address. Each subscription establishes one connection, sends it and completes.
    ///
    /// Any thread may subscribe. All events are delivered on `loop`. A connection that the subscriber neither keeps nor
    /// uses is closed. Disposing the subscription cancels the attempt and closes its socket. It does not close an
    /// established connection. If the queue of a Unix server is full, connecting is retried until the timeout.
    ///
    /// The signal fails once (rule N7), with a message that names the address:
    ///
    /// - `refused`, `unreachable`, `timedOut`, `noSuchPath`, `permissionDenied`, `outOfDescriptors` or `systemCall` if
    ///   the system refuses (connect(2)). Also `timedOut` after ``ConnectSettings/timeout``.
    /// - `addressInUse` or `addressNotAvailable` if the settings have a local address.
    /// - `loop` if the loop has been disposed or refuses a watch.
    ///
    /// - Parameters:
    ///   - address: The address of the peer.
    ///   - loop: The loop of the connection.
    ///   - settings: The settings of the attempt and of the connection.
    /// - Returns: A cold signal of one connection.
    public static func connect(
        to address: SocketAddress,
        loop: any LoopScheduler,
        settings: ConnectSettings = ConnectSettings()
    ) -> Signal<Connection, SocketError> {
        connect(toAnyOf: [address], loop: loop, settings: settings)
    }

    /// Connects to several addresses, and sends the first connection that succeeds (Happy Eyeballs, RFC 8305).
    ///
    /// The address families alternate, beginning with the first address's family. The next address is tried when an
    /// attempt fails, or when it has not succeeded within ``ConnectSettings/attemptDelay``. As soon as one attempt
    /// succeeds, the sockets of the others are closed.
    ///
    /// It fails as ``connect(to:loop:settings:)`` does. If all attempts fail, it fails with the first address's code,
    /// and the message lists the reason for every address. Without addresses it fails with `unknownHost`.
    ///
    /// - Parameters:
    ///   - addresses: The addresses, best first. An address that is listed twice is tried twice.
    ///   - loop: The loop of the connection.
    ///   - settings: The settings of the attempts and of the connection. The timeout covers all attempts.
    /// - Returns: A cold signal of one connection.
    public static func connect(
        toAnyOf addresses: [SocketAddress],
        loop: any LoopScheduler,
        settings: ConnectSettings = ConnectSettings()
    ) -> Signal<Connection, SocketError> {
        Signal { emitter, subscription in
            if let error = loop.refusal(as: SocketError.self) { return emitter.fail(error) }
            let race = UnsafeTransfer(ConnectRace(addresses, loop, settings, emitter))
            subscription.onDispose { loop.runOrExecute { race.value.cancel() } }
            loop.runOrExecute { race.value.start() }
        }
    }

    /// Resolves a host name without blocking the loop, and connects to its addresses as
    /// ``connect(toAnyOf:loop:settings:)`` does.
    ///
    /// ``ConnectSettings/timeout`` covers both steps. A numeric address is not looked up. The signal fails as
    /// ``Resolver/addresses(of:port:loop:timeout:)`` and ``connect(toAnyOf:loop:settings:)`` do.
    ///
    /// - Parameters:
    ///   - host: A host name, or a numeric address.
    ///   - port: The port. A number outside 0...65535 fails with `invalidAddress`.
    ///   - loop: The loop of the connection.
    ///   - resolver: The resolver that looks up the name.
    ///   - settings: The settings of the attempts and of the connection.
    /// - Returns: A cold signal of one connection.
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
