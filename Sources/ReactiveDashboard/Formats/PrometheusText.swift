// SPDX-License-Identifier: MIT
#if HTTP
    import ReactiveCore

    /// Writes the text format 0.0.4 of Prometheus.
    struct PrometheusText {
        private(set) var text = ""

        enum Kind: String { case counter, gauge, histogram }

        /// Begins a metric. Its samples follow.
        mutating func metric(_ name: String, _ kind: Kind, _ help: String) {
            text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
        }

        mutating func sample(_ name: String, _ labels: [(String, String)], _ value: some CustomStringConvertible) {
            text += name
            if !labels.isEmpty {
                text += "{" + labels.map { "\($0.0)=\"\($0.1.escaped(controls: false))\"" }.joined(separator: ",") + "}"
            }
            text += " \(value)\n"
        }

        /// Makes each name unique, because two samples with the same labels are invalid.
        static func unique(_ names: [String]) -> [String] {
            var (taken, counts) = (Set<String>(), [String: Int]())
            return names.map { name in
                var label = name
                while !taken.insert(label).inserted {
                    counts[name, default: 1] += 1
                    label = "\(name)#\(counts[name] ?? 0)"
                }
                return label
            }
        }
    }

    extension DashboardSnapshot {
        /// The snapshot as Prometheus text.
        package var prometheus: String {
            var text = PrometheusText()
            writeLoops(&text)
            writeServers(&text)
            let names = graph.names.sorted { $0.key < $1.key }
            text.metric("reactive_subscriptions", .gauge, "Live subscriptions that the LiveGraph has recorded.")
            for (name, count) in names { text.sample("reactive_subscriptions", [("name", name)], count) }
            text.metric("reactive_subscriptions_paused", .gauge, "Recorded subscriptions that are paused.")
            text.sample("reactive_subscriptions_paused", [], graph.paused)
            text.metric("reactive_values_waiting", .gauge, "Values in the queues of recorded subscriptions.")
            text.sample("reactive_values_waiting", [], graph.waiting)
            return text.text
        }

        private func writeLoops(_ text: inout PrometheusText) {
            let names = PrometheusText.unique(loops.map(\.name))
            func each(
                _ name: String,
                _ kind: PrometheusText.Kind,
                _ help: String,
                _ value: (LoopView) -> (any CustomStringConvertible)?
            ) {
                text.metric(name, kind, help)
                // A sample of 0 would say that a counter has restarted.
                for (loop, label) in zip(loops, names) {
                    if let value = value(loop) { text.sample(name, [("loop", label)], value.description) }
                }
            }
            each("reactive_loop_up", .gauge, "Whether the loop has run a job in time.") { $0.isResponding ? 1 : 0 }
            each("reactive_loop_lag_seconds", .gauge, "Time from the submission of a job to its beginning.") { $0.lag }
            each("reactive_loop_timers", .gauge, "Scheduled timers.") { $0.measurements?.timers }
            each("reactive_loop_watches", .gauge, "Watched descriptors.") { $0.measurements?.watches }
            each("reactive_loop_jobs", .gauge, "Queued jobs.") { $0.measurements?.work }
            each("reactive_loop_turns_total", .counter, "Turns that have begun.") { $0.measurements?.turns }
            let measured = zip(loops, names).compactMap { loop, label in
                loop.measurements?.lengths.map { ($0, label) }
            }
            if measured.isEmpty { return }
            let name = "reactive_loop_turn_seconds"
            text.metric(name, .histogram, "Time of callbacks between two waits, while a page is open.")
            for (lengths, label) in measured {
                var sum: UInt64 = 0
                for (index, count) in lengths.counts.enumerated() {
                    sum += count
                    let isLast = index == TurnLengths.bounds.count
                    let bound = isLast ? "+Inf" : "\(Double(TurnLengths.bounds[index]) / 1e9)"
                    text.sample("\(name)_bucket", [("loop", label), ("le", bound)], sum)
                }
                text.sample("\(name)_sum", [("loop", label)], DashboardSnapshot.rounded(Double(lengths.sum) / 1e9))
                text.sample("\(name)_count", [("loop", label)], sum)
            }
        }

        private func writeServers(_ text: inout PrometheusText) {
            if servers.isEmpty { return }
            let names = PrometheusText.unique(servers.map(\.name))
            func each(_ name: String, _ kind: PrometheusText.Kind, _ help: String, _ value: (ServerView) -> Int) {
                text.metric(name, kind, help)
                for (server, label) in zip(servers, names) {
                    text.sample(name, [("server", label)], value(server))
                }
            }
            each("reactive_server_connections", .gauge, "Connections that are being served.") { $0.count }
            each("reactive_server_accepted_total", .counter, "Connections that were served.") { $0.accepted }
            each("reactive_server_ended_total", .counter, "Connections that have ended.") { $0.ended }
            each("reactive_server_failed_total", .counter, "Connections that have failed.") { $0.failed }
            each("reactive_server_refused_total", .counter, "Peers that were refused.") { $0.refused }
            each("reactive_server_received_bytes_total", .counter, "Bytes received on ended connections.") {
                $0.received
            }
            each("reactive_server_sent_bytes_total", .counter, "Bytes sent on ended connections.") { $0.sent }
        }
    }
#endif
