// SPDX-License-Identifier: MIT
#if CAres
    import ReactiveCAres
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets

    // The snippets of Docs/NameResolution.md. They are not run: they need a name server. ReactiveCAresTests have some.

    private func useNames(on loop: any LoopScheduler) throws {
        let names = AresResolver(loop: loop)
        Connection.connect(toHost: "example.org", port: 80, loop: loop, resolver: names.resolver)
            .subscribe(onValue: { connection in connection.send("hello\n") }, onTermination: { print($0) })

        var settings = AresSettings()
        settings.servers = [try SocketAddress(host: "192.0.2.53", port: 53), try SocketAddress(host: "::1", port: 53)]
        settings.timeout = .seconds(1)
        settings.tries = 2
        let own = AresResolver(loop: loop, settings: settings)
        own.resolver.addresses(of: "example.org", port: 443, loop: loop)
            .subscribe(onValue: { addresses in print(addresses) }, onTermination: { print($0) })
    }
#endif
