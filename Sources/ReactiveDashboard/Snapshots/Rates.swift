// SPDX-License-Identifier: MIT
#if HTTP
    /// The values per second of each edge, from two snapshots.
    struct Rates {
        private var counts: [Int: (values: Int?, stages: [Int])] = [:]
        private var time: ContinuousClock.Instant?

        /// Adds the rates since the previous call.
        mutating func apply(to graph: inout DashboardSnapshot.GraphView, at now: ContinuousClock.Instant) {
            let elapsed = time.map { DashboardSnapshot.seconds(now - $0) } ?? 0
            for index in graph.nodes.indices where elapsed > 0 {
                guard let before = counts[graph.nodes[index].number] else { continue }
                if let values = graph.nodes[index].values, let old = before.values {
                    graph.nodes[index].rate = Double(values - old) / elapsed
                }
                for (stage, old) in before.stages.enumerated() where stage < graph.nodes[index].stages.count {
                    graph.nodes[index].stages[stage].rate =
                        Double(graph.nodes[index].stages[stage].values - old) / elapsed
                }
            }
            time = now
            counts = Dictionary(
                uniqueKeysWithValues: graph.nodes.map { node in
                    (node.number, (values: node.values, stages: node.stages.map(\.values)))
                }
            )
        }
    }
#endif
