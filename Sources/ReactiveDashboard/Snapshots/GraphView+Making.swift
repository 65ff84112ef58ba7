// SPDX-License-Identifier: MIT
#if HTTP
    package import ReactiveSignals

    extension DashboardSnapshot.GraphView {
        /// Creates a view of the live graph. Paused subscriptions, and those that cause pauses, are kept first.
        package init(_ live: LiveSnapshot) {
            count = live.nodes.count
            paused = live.nodes.count { $0.isPaused }
            waiting = live.waiting
            names = Dictionary(
                live.counts.sorted { $0.value > $1.value }.prefix(DashboardBounds.names)
                    .map { (DashboardBounds.shortened($0.key), $0.value) },
                uniquingKeysWith: +
            )
            let byNumber = Dictionary(uniqueKeysWithValues: live.nodes.map { ($0.number, $0) })
            nodes = Self.kept(live.nodes).map { DashboardSnapshot.NodeView($0, among: byNumber) }
        }

        /// The subscriptions to show, in their order.
        private static func kept(_ nodes: [LiveSnapshot.Node]) -> [LiveSnapshot.Node] {
            if nodes.count <= DashboardBounds.nodes { return nodes }
            let causes = Set(nodes.flatMap { $0.pause?.causes.map(\.subscriber) ?? [] })
            let important = nodes.filter { $0.isPaused || causes.contains($0.number) }
            let rest = nodes.filter { !$0.isPaused && !causes.contains($0.number) }
            return (important + rest).prefix(DashboardBounds.nodes).sorted { $0.number < $1.number }
        }
    }

    extension DashboardSnapshot.NodeView {
        init(_ node: LiveSnapshot.Node, among all: [Int: LiveSnapshot.Node]) {
            number = node.number
            name = DashboardBounds.shortened(node.name)
            location = node.location
            parent = node.parent
            isPaused = node.isPaused
            waiting = node.waiting
            values = node.values
            stages = node.stages.prefix(DashboardBounds.stages).map { stage in
                DashboardSnapshot.StageView(
                    name: DashboardBounds.shortened(stage.name),
                    location: DashboardBounds.shortened("\(stage.file):\(stage.line)"),
                    values: stage.values
                )
            }
            pausedFor = node.pause.map { DashboardSnapshot.seconds($0.duration) }
            causes = (node.pause?.causes ?? []).prefix(DashboardBounds.causes).map { cause in
                let subscriber = all[cause.subscriber]
                return DashboardSnapshot.CauseView(
                    number: cause.subscriber,
                    name: DashboardBounds.shortened(subscriber?.name ?? "?"),
                    location: subscriber?.location,
                    reason: cause.reason.text
                )
            }
        }
    }

    extension LiveSnapshot.Node {
        /// Where the subscriber has subscribed, or else where the subscription was named.
        fileprivate var location: String? {
            let named = file.flatMap { file in line.map { "\(file):\($0)" } }
            return (subscriber ?? named).map { DashboardBounds.shortened($0) }
        }
    }

    extension LiveSnapshot.Cause.Reason {
        fileprivate var text: String {
            switch self {
            case .subscriber: "the subscriber has paused"
            case .queue(let name): "the queue of \(DashboardBounds.shortened(name)) is full: the subscriber is slow"
            case .limit(let name): "\(DashboardBounds.shortened(name)) has reached its limit"
            }
        }
    }

    extension DashboardSnapshot {
        /// A duration in seconds.
        static func seconds(_ duration: Duration) -> Double { duration / .seconds(1) }
    }
#endif
