// SPDX-License-Identifier: MIT
#if NATS
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets
    import ReactiveSupport

    /// Connecting with names that a resolver looks up.
    ///
    /// nats.c can only call getaddrinfo(3). So each name is replaced by its addresses, and nats.c tries the servers of one
    /// name at a time: the name that their certificate must contain is an option of a connection.
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
                    core.value.attempt(addresses.map(name.replaced(by:)), name.host, next)
                },
                onTermination: { termination in
                    guard case .failed(let error) = termination else { return }
                    core.value.lookUp = nil
                    next(NATSError(.noServer, "cannot connect to \(server): \(error.message)"))
                }
            )
        }

        /// Connects to one of the addresses of a server. Calls `next` if none answers.
        private func attempt(_ addresses: [String], _ host: String?, _ next: @escaping @Sendable (NATSError) -> Void) {
            let core = UnsafeTransfer(self)
            connect(to: addresses, as: host) { result in
                if case .failure(let error) = result, !core.value.isOver { return next(error) }
                core.value.didConnect(result)
            }
        }
    }
#endif
