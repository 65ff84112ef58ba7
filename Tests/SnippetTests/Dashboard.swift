// SPDX-License-Identifier: MIT
#if HTTP
    import ReactiveCore
    import ReactiveDashboard
    import ReactiveSignals
    import ReactiveSockets

    // The snippets of Docs/Dashboard.md. DashboardTests tests what they serve.

    private func show(_ loops: LoopGroup) throws {
        let dashboard = try Dashboard.serve(on: .loopback(port: 9090), observing: loops)
        print("open http://\(dashboard.localAddress)/")
    }

    private func show(_ server: Server, on ownLoop: any LoopScheduler) throws -> Dashboard {
        let dashboard = try Dashboard.serve(
            on: .loopback(port: 9090),
            observing: server.loops,
            servers: [ObservedServer("echo", server)],
            runningOn: ownLoop
        )
        return dashboard
    }

    private func record() {
        LiveGraph.start()
        LiveGraph.countValues()
    }
#endif
