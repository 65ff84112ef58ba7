// SPDX-License-Identifier: MIT
#if HTTP
    import ReactiveCore
    import ReactiveSockets

    /// What a loop reports in a job: its counts, and its connections of each server.
    struct LoopAnswer: Sendable {
        let lag: Duration
        let measurements: LoopMeasurements?
        let connections: [[ConnectionFacts]]

        /// Reads the loop. Call it in the loop's own work.
        init(_ loop: any LoopScheduler, _ servers: [ObservedServer], since submission: ContinuousClock.Instant) {
            lag = ContinuousClock.now - submission
            measurements = try? (loop as? any MeasuredLoop)?.measurements()
            connections = servers.map { $0.server.facts(on: loop, limit: DashboardBounds.connections) }
        }
    }

    extension DashboardSnapshot.LoopView {
        init(_ loop: any LoopScheduler, _ answer: LoopAnswer?, waitingFor time: Duration) {
            name = DashboardBounds.shortened(loop.name)
            isDisposed = loop.isDisposed
            isResponding = answer != nil
            lag = DashboardSnapshot.rounded(DashboardSnapshot.seconds(answer?.lag ?? time))
            measurements = answer?.measurements
        }
    }
#endif
