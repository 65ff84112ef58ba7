// SPDX-License-Identifier: MIT
#if HTTP
    import ReactiveCore
    import ReactiveHTTP
    import ReactiveSignals
    import ReactiveSockets

    // The snippets about HTTP of Docs/Restarts.md and of doc comments. ReactiveHTTPTests tests these calls.

    private func handOver(
        at path: SocketAddress,
        _ address: SocketAddress,
        _ loop: any LoopScheduler,
        _ tls: (@Sendable () -> any ConnectionTransformer)?,
        _ service: HTTPService
    ) throws -> Handover {
        let loops = LoopGroup(loop)
        let inherited = try InheritedSockets.handedOver(at: path)
        let server =
            if let inherited {
                try HTTPServer(adopting: inherited.take("http"), loops: loops, transformer: tls, service: service)
            } else {
                try HTTPServer(on: address, loops: loops, transformer: tls, service: service)
            }
        let handover = try Handover(of: [.server("http", server)], at: path, loop: loop, after: inherited)
        handover.completed.subscribe(onTermination: { _ in server.drain(within: .seconds(30)) })
        try inherited?.acknowledge()
        return handover
    }

    private func adopt(_ inherited: InheritedSockets, _ loops: LoopGroup, _ service: HTTPService) throws -> HTTPServer {
        let server = try HTTPServer(adopting: inherited.take("http"), loops: loops, service: service)
        return server
    }
#endif
