// SPDX-License-Identifier: MIT
#if CAres
    import DNSServers
    import Glibc
    import LoopTestSupport
    import ReactiveCAres
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets
    import ReactiveSupport
    import Refusals
    import SchedulerConformance

    private let lookUpCount = 10_000
    // With this time and four tries, a pause of the machine does not look like a second dead server.
    private let timeout = Duration.seconds(3)

    /// Starts 10,000 look-ups whose first server never answers. Half of the names do not exist. Returns a description of
    /// the failure, if any.
    func manyLookUps(_ kind: LoopKind) throws -> String? {
        let loop = try kind.make()
        defer { loop.dispose() }
        let dead = try DeadServer(loop)
        let server = try DNSServer(loop) { query in
            query.name.hasPrefix("no") ? [query.answer([], code: DNSCode.noSuchName)] : [query.addresses("192.0.2.1")]
        }
        var settings = AresSettings()
        settings.servers = [dead.address, server.address]
        settings.timeout = timeout
        settings.tries = 4
        let resolver = AresResolver(loop: loop, settings: settings)
        // One look-up starts whatever a library starts once.
        _ = try look(up: "localhost", resolver)
        let threads = threadCount
        let (found, failed, other) = (Box(0), Box(0), Recorder<String>())
        let begin = loop.now
        for number in 0..<lookUpCount {
            let name = number % 2 == 0 ? "no\(number).test" : "web\(number).test"
            resolver.resolver.addresses(of: name, port: 80, loop: loop, timeout: .seconds(Latch.limit)).subscribe(
                onValue: { addresses in
                    if addresses.map(\.description) == ["192.0.2.1:80"] { found.increment() }
                },
                onTermination: { termination in
                    guard case .failed(let error) = termination else { return }
                    if error.code == .unknownHost { failed.increment() } else { other.append("\(error)") }
                }
            )
        }
        var mostThreads = threads
        try loop.turns {
            if loop.turn % 64 == 0 { mostThreads = max(mostThreads, threadCount) }
            return found.value + failed.value + other.count == lookUpCount
        }
        let time = loop.now - begin
        print("\(found.value) found, \(failed.value) unknown, \(time), \(mostThreads) threads, \(threads) before")
        // If each group of look-ups waited for the dead server, the time would be at least this long.
        let waiting = timeout * (lookUpCount / settings.maximumConcurrency)
        if found.value != lookUpCount / 2 || failed.value != lookUpCount / 2 { return "wrong results: \(other.values)" }
        if mostThreads > threads { return "\(mostThreads - threads) more threads than before" }
        if time > waiting / 2 { return "the look-ups took \(time)" }
        return nil
    }

    /// Looks up a name while no descriptor is free, and again when there are some.
    func lookUpsWithoutDescriptors(_ kind: LoopKind) throws -> String? {
        let loop = try kind.make()
        defer { loop.dispose() }
        let server = try DNSServer(loop) { query in
            query.name == "silent.test" ? [] : [query.addresses("192.0.2.1", ttl: 0)]
        }
        var settings = AresSettings()
        settings.servers = [server.address]
        let resolver = AresResolver(loop: loop, settings: settings)
        // The sockets whose ports were in use are closed before the descriptors are counted.
        _ = try look(up: "web.test", resolver)
        for free in [0, 1, 0] {
            DescriptorLimit.leave(free)
            let code = try look(up: "web.test", resolver).code
            let isRight = free == 0 ? code == .outOfDescriptors : code == .outOfDescriptors || code == nil
            if !isRight { return "\(free) free descriptors: \(String(describing: code))" }
            DescriptorLimit.raise()
            let log = try look(up: "web.test", resolver)
            if log.code != nil || log.values.count != 1 { return "after the exhaustion: \(log.ends)" }
        }
        // A server must not be asked in place of the hosts file, even if there is a socket to it.
        let open = resolver.resolver.addresses(of: "silent.test", port: 80, loop: loop).log()
        try loop.turns { server.names.contains("silent.test") }
        DescriptorLimit.leave(0)
        let code = try look(up: "web.test", resolver).code
        DescriptorLimit.raise()
        open.subscription.dispose()
        return code == .outOfDescriptors ? nil : "with an open socket: \(String(describing: code))"
    }

    /// Looks up a name while the system refuses to watch the socket to the second server. Some loops cannot be refused.
    func lookUpWithoutWatch(_ kind: LoopKind) throws -> String? {
        let loop = try kind.make()
        defer { loop.dispose() }
        let dead = try DeadServer(loop)
        let server = try DNSServer(loop) { [$0.addresses("192.0.2.1")] }
        var settings = AresSettings()
        settings.servers = [dead.address, server.address]
        settings.timeout = .milliseconds(50)
        // Enough for a machine that stalls.
        settings.tries = 10
        let resolver = AresResolver(loop: loop, settings: settings)
        let log = resolver.resolver.addresses(of: "web.test", port: 80, loop: loop).log()
        let hasBegun = Box(false)
        loop.execute { hasBegun.value = true }
        try loop.turns { hasBegun.value }
        refuse(REFUSABLE_EPOLL_ADD.rawValue, ENOSPC, 0, .max)
        try loop.turns { refusals() > 0 || log.hasEnded }
        let isRefused = refusals() > 0
        refuse_nothing()
        // Needs no server, and begins later.
        _ = try look(up: "localhost", AresResolver(loop: loop))
        if !log.hasEnded { return "the look-up waits" }
        return log.code == (isRefused ? .loop : nil) ? nil : "\(log.ends), refused: \(isRefused)"
    }

    private var threadCount: Int { ProcFS.names(in: "/proc/self/task")?.count ?? 0 }

    private func look(
        up host: String,
        _ resolver: AresResolver
    ) throws -> Log<[SocketAddress], SocketError> {
        let log = resolver.resolver.addresses(of: host, port: 80, loop: resolver.loop).log()
        try resolver.loop.turns { log.hasEnded }
        return log
    }
#endif
