// SPDX-License-Identifier: MIT
#if NATS
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets
    import ReactiveSupport

    /// Connecting with names that a resolver looks up.
    ///
    /// nats.c can only call getaddrinfo(3). So each name is replaced by its addresses, and nats.c tries one at a time. The
    /// name that the certificate must contain is an option of the connection.
    extension ClientCore {
        /// Tries the servers in random order, as nats.c does, until one answers.
        func connect(by resolver: Resolver) { connect(by: resolver, servers.shuffled()[...], nil) }

        private func connect(by resolver: Resolver, _ servers: ArraySlice<String>, _ last: NATSError?) {
            guard let server = servers.first else {
                return didConnect(.failure(last ?? NATSError(.noServer, "cannot connect: there is no server")))
            }
            let core = UnsafeTransfer(self)
            let next: @Sendable (NATSError) -> Void = { error in
                core.value.connect(by: resolver, servers.dropFirst(), error)
            }
            guard let name = ServerName(server) else { return attempt([server], nil, next) }
            let lookUp = SignalSubscription()
            self.lookUp = lookUp
            let timeout = options.connectTimeout
            resolver.addresses(of: name.host, port: name.port, loop: loop, timeout: timeout).subscribe(
                in: lookUp,
                onValue: { addresses in
                    core.value.lookUp = nil
                    core.value.attempt(addresses.map(name.replaced(by:))[...], name.host, next)
                },
                onTermination: { termination in
                    guard case .failed(let error) = termination else { return }
                    core.value.lookUp = nil
                    next(NATSError(.noServer, "cannot connect to \(server): \(error.message)"))
                }
            )
        }

        /// Connects to the addresses of a server, one after the other, because nats.c would change their order. Calls `next`
        /// if none answers.
        private func attempt(
            _ addresses: ArraySlice<String>,
            _ host: String?,
            _ next: @escaping @Sendable (NATSError) -> Void
        ) {
            guard let address = addresses.first else {
                return next(NATSError(.noServer, "cannot connect: the resolver has found no address"))
            }
            let core = UnsafeTransfer(self)
            connect(to: [address], as: host) { result in
                guard case .failure(let error) = result, !core.value.isOver else {
                    return core.value.didConnect(result)
                }
                if addresses.count == 1 { return next(error) }
                core.value.attempt(addresses.dropFirst(), host, next)
            }
        }
    }
#endif
