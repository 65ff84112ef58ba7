// SPDX-License-Identifier: MIT
#if CAres
    public import ReactiveCore
    public import ReactiveSockets
    import ReactiveSignals
    import ReactiveSupport
    import Synchronization

    /// Looks up names by DNS on a loop, without threads. The library c-ares implements the protocol.
    ///
    /// Pass ``resolver`` to `Connection.connect(toHost:…)`, or to the configuration of an `HTTPClient`. A look-up asks
    /// `/etc/hosts` first, then DNS with the search domains of the system. Answers are cached for the time that the
    /// records state. Equal look-ups at the same time share one question.
    ///
    /// One resolver serves any number of loops. Its own loop sends the questions, and must run. Each answer arrives on
    /// the loop of its look-up. Any thread may use every member. The loop must use the system's clock: c-ares measures
    /// its time limits with that clock.
    ///
    /// While a look-up waits for a server, the resolver has a socket to it, and keeps its loop alive. The resolver ends
    /// after ``dispose()``, or when its look-ups have ended and neither it nor its ``resolver`` has a reference.
    /// Disposing the loop ends it too; look-ups of other loops then fail with the code `loop`.
    public final class AresResolver: Disposable {
        /// The loop that sends the questions.
        public let loop: any LoopScheduler

        private let core: UnsafeTransfer<AresCore>
        private let ended = Atomic<Bool>(false)

        /// Creates a resolver. Nothing is read or sent before the first look-up.
        ///
        /// - Parameters:
        ///   - loop: The loop that sends the questions.
        ///   - settings: The servers, time limits and bounds. It traps if a server is not an IPv4 or IPv6 address, or
        ///     has a scope.
        public init(loop: any LoopScheduler, settings: AresSettings = AresSettings()) {
            for server in settings.servers {
                require(
                    server.family != .unix && server.scope == 0,
                    "\(server) cannot be a name server: name an IPv4 or IPv6 address without a scope"
                )
            }
            self.loop = loop
            core = UnsafeTransfer(AresCore(loop, settings))
            core.value.loopEnd = ScopedDisposable(core.value.abandonWithLoop())
        }

        /// The resolver as a value, which retains this object's look-ups and cache, but not this object.
        ///
        /// Its look-ups fail as `Resolver.addresses(of:port:loop:timeout:)` describes. They also fail with:
        ///
        /// - `closed` after ``dispose()``.
        /// - `loop` if the resolver's loop has been disposed or refuses a watch.
        /// - `outOfDescriptors` or `systemCall` if no socket can be opened.
        /// - `systemCall` with `EAGAIN` if ``AresSettings/maximumLookUps`` look-ups have not ended yet.
        ///
        /// In a simulation, the simulated host resolves the names.
        public var resolver: Resolver {
            let core = core
            return Resolver { host, port, loop in AresCore.addresses(of: host, port: port, for: loop, from: core) }
        }

        /// Whether the resolver or its loop has been disposed.
        public var isDisposed: Bool { ended.load(ordering: .acquiring) || loop.isDisposed }

        /// Closes all sockets and drops the cache. Look-ups that have not ended fail with the code `closed`, and so do
        /// later ones. Later calls have no effect.
        ///
        /// On the resolver's loop, the sockets are closed when the call returns. On another thread, a job of the loop
        /// closes them.
        public func dispose() {
            if ended.exchange(true, ordering: .acquiringAndReleasing) { return }
            loop.runOrExecute { [core] in core.value.close() }
        }
    }
#else
    public import ReactiveCore

    /// A DNS resolver without threads. This build lacks the trait `CAres`, so every use is a compile-time error that
    /// names it.
    @available(
        *,
        unavailable,
        message: "AresResolver needs the trait CAres: .package(url: …, from: …, traits: [\"CAres\"])"
    )
    public final class AresResolver: Sendable {
        /// Creates nothing: it cannot be called.
        public init(loop: any LoopScheduler) {}
    }
#endif
