// SPDX-License-Identifier: MIT
public import ArgumentParser
public import ReactiveSockets

#if HTTP
    import ReactiveDashboard
    import ReactiveSignals
#endif

/// The option `--dashboard` of a server.
public struct DashboardOptions: ParsableArguments {
    @Option(help: "The port of a live view for the browser, on 127.0.0.1. With 0 the system picks one.")
    public var dashboard: UInt16?

    public init() {}

    public func validate() throws {
        #if !HTTP
            guard dashboard == nil else {
                throw ValidationError(
                    "--dashboard needs HTTP, which this build lacks: build with the package trait HTTP"
                )
            }
        #endif
    }

    /// Records the signals of the program from now on, if there is a dashboard. Call it before the server is created.
    public func beginRecording() {
        #if HTTP
            if dashboard == nil { return }
            LiveGraph.start()
            LiveGraph.countValues()
        #endif
    }

    /// Serves the dashboard on a loop of its own, so that it also answers while a loop of the service is blocked.
    ///
    /// - Returns: The line to print, or nil without `--dashboard`.
    public func serve(observing loops: LoopGroup, _ name: String, _ server: Server, on choice: LoopChoice) throws
        -> String?
    {
        #if HTTP
            guard let dashboard else { return nil }
            let running = try Dashboard.serve(
                on: .loopback(port: dashboard),
                observing: loops,
                servers: [ObservedServer(name, server)],
                runningOn: choice.make(name: "dashboard")
            )
            return "dashboard on http://\(running.localAddress)/"
        #else
            return nil
        #endif
    }
}
