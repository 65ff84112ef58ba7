// SPDX-License-Identifier: MIT
#if HTTP
    import ReactiveCore

    /// Finds what a person should look at: lagging loops, long pauses, and counts that only grow.
    package struct ProblemFinder {
        /// A lag above this number of seconds is a problem.
        private static let lag = 0.1
        /// A pause above this number of seconds is a problem.
        private static let pause = 60.0
        /// How long a count must grow, and in how many observations.
        private static let growth = (time: Duration.seconds(60), steps: 10)

        private struct Trend {
            var value: Int
            /// The value and the time at which the growth began.
            var first: Int
            var since: ContinuousClock.Instant
            var steps = 0
        }

        private var trends: [String: Trend] = [:]

        package init() {}

        /// Adds the problems to a snapshot. Growth is known only after several calls.
        package mutating func apply(to snapshot: inout DashboardSnapshot, at now: ContinuousClock.Instant) {
            var problems = lags(snapshot) + pauses(snapshot)
            problems += growths(Self.counts(snapshot), now)
            snapshot.problems = Array(problems.prefix(DashboardBounds.problems))
        }

        private func lags(_ snapshot: DashboardSnapshot) -> [DashboardSnapshot.Problem] {
            snapshot.loops.compactMap { loop in
                guard loop.lag > Self.lag, !loop.isDisposed else { return nil }
                let time = DashboardSnapshot.rounded(loop.lag)
                let text =
                    loop.isResponding
                    ? "loop \(loop.name) began a job \(time) s after its submission"
                    : "loop \(loop.name) has not responded for \(time) s"
                return DashboardSnapshot.Problem(kind: .lag, text: text)
            }
        }

        private func pauses(_ snapshot: DashboardSnapshot) -> [DashboardSnapshot.Problem] {
            snapshot.graph.nodes.compactMap { node in
                guard let time = node.pausedFor, time > Self.pause else { return nil }
                let causes = node.causes.map { "#\($0.number) \($0.name) at \($0.location ?? "?") (\($0.reason))" }
                let text = "#\(node.number) \(node.name) has been paused for \(Int(time)) s"
                let by = causes.isEmpty ? "" : " by \(causes.joined(separator: ", "))"
                return DashboardSnapshot.Problem(kind: .pause, text: text + by)
            }
        }

        private static func counts(_ snapshot: DashboardSnapshot) -> [String: Int] {
            var counts: [String: Int] = [:]
            for loop in snapshot.loops {
                counts["timers of loop \(loop.name)"] = loop.measurements?.timers
                counts["watched descriptors of loop \(loop.name)"] = loop.measurements?.watches
                counts["queued jobs of loop \(loop.name)"] = loop.measurements?.work
            }
            for server in snapshot.servers { counts["connections of server \(server.name)"] = server.count }
            for (name, count) in snapshot.graph.names { counts["subscriptions with the name \(name)"] = count }
            return counts
        }

        private mutating func growths(
            _ counts: [String: Int],
            _ now: ContinuousClock.Instant
        ) -> [DashboardSnapshot.Problem] {
            var problems: [DashboardSnapshot.Problem] = []
            var next: [String: Trend] = [:]
            for (name, value) in counts.sorted(by: { $0.key < $1.key }) {
                var trend = trends[name] ?? Trend(value: value, first: value, since: now)
                if value < trend.value { trend = Trend(value: value, first: value, since: now) }
                if value > trend.value { trend.steps += 1 }
                trend.value = value
                next[name] = trend
                if now - trend.since >= Self.growth.time, trend.steps >= Self.growth.steps {
                    let time = Int(DashboardSnapshot.seconds(now - trend.since))
                    let text = "the number of \(name) has only grown for \(time) s, from \(trend.first) to \(value)"
                    problems.append(DashboardSnapshot.Problem(kind: .growth, text: text))
                }
            }
            trends = next
            return problems
        }
    }

    extension DashboardSnapshot {
        /// A number with six decimals.
        static func rounded(_ number: Double) -> Double { (number * 1e6).rounded() / 1e6 }
    }
#endif
