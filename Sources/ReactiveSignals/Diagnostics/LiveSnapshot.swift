// SPDX-License-Identifier: MIT
/// The live subscriptions at the time of ``LiveGraph/snapshot()``, to be counted, searched, printed, or drawn by
/// Graphviz.
public struct LiveSnapshot: Sendable, CustomStringConvertible {
    /// One subscription.
    public struct Node: Sendable, Hashable {
        /// Its position in the order in which subscriptions began. It is the same in every snapshot.
        public var number: Int
        /// Its name, or the operator whose input it is. The default is "subscription".
        public var name: String
        /// The file in which it began or was named. `nil` means unknown.
        public var file: String?
        /// The line in that file.
        public var line: UInt?
        /// The call of `subscribe`, as file and line: `Service/Feed.swift:42`. For a `send(from:)` it is the address of
        /// the peer. `nil` means that an operator has subscribed, or that the location is unknown.
        public var subscriber: String?
        /// The number of the parent subscription; when the parent ends, this one is disposed. `nil` if it has no
        /// parent.
        public var parent: Int?
        /// Whether it is paused.
        public var isPaused: Bool
        /// The number of values in its queues. `nil` means that it has no queue.
        public var waiting: Int?
        /// Since when it is paused, and which subscribers cause it. `nil` if it is not paused.
        public var pause: Pause?
        /// The number of values that the subscriber has received. `nil` if they are not counted: see
        /// ``LiveGraph/countValues()``.
        public var values: Int?
        /// The named signals that the values pass, with the number of values. They are empty if values are not counted.
        public var stages: [Stage]
    }

    /// A signal that ``Signal/named(_:file:line:)`` has named, on the way of a subscription's values.
    public struct Stage: Sendable, Hashable {
        /// The name.
        public var name: String
        /// The file of the call of `named`.
        public var file: String
        /// The line in that file.
        public var line: UInt
        /// The number of values that have passed.
        public var values: Int

        func counting(_ values: Int) -> Stage {
            var stage = self
            stage.values = values
            return stage
        }
    }

    /// The pause of a subscription.
    public struct Pause: Sendable, Hashable {
        /// How long ago the oldest of the causes began.
        public var duration: Duration
        /// Why it is paused. Empty if the pause began before the graph was on.
        public var causes: [Cause]
    }

    /// A reason for a pause, and the subscriber at its end.
    public struct Cause: Sendable, Hashable {
        /// What keeps the values back.
        public enum Reason: Sendable, Hashable {
            /// The subscriber has paused its subscription.
            case subscriber
            /// The queue of this operator is full, because the subscriber takes values slowly or not at all.
            case queue(String)
            /// This operator has reached its limit, for example of inner signals.
            case limit(String)
        }

        /// The number of the subscriber's subscription.
        public var subscriber: Int
        /// What keeps the values back.
        public var reason: Reason
    }

    /// The subscriptions, in the order in which they began.
    public var nodes: [Node]

    /// The number of subscriptions of each name.
    public var counts: [String: Int] {
        nodes.reduce(into: [:]) { counts, node in counts[node.name, default: 0] += 1 }
    }

    /// The number of values that wait in the queues of all subscriptions.
    public var waiting: Int { nodes.reduce(0) { $0 + ($1.waiting ?? 0) } }

    /// Returns the subscription with this number and its descendants. The result is empty if no subscription has the
    /// number.
    public func subtree(_ number: Int) -> LiveSnapshot {
        var numbers: Set = [number]
        // A child has a higher number than its parent.
        return LiveSnapshot(
            nodes: nodes.filter { node in
                guard node.number == number || node.parent.map(numbers.contains) == true else { return false }
                numbers.insert(node.number)
                return true
            }
        )
    }

    /// One line for each subscription, with children indented below their parent.
    public var description: String {
        let known = Set(nodes.map(\.number))
        let children = Dictionary(grouping: nodes) { node in node.parent.flatMap { known.contains($0) ? $0 : nil } }
        var lines = ["\(nodes.count) alive, \(waiting) values waiting"]
        // A list instead of recursion, so depth costs no stack.
        var pending = (children[nil] ?? []).reversed().map { (node: $0, depth: 0) }
        while let (node, depth) = pending.popLast() {
            lines.append(String(repeating: "  ", count: depth) + node.description)
            pending += (children[node.number] ?? []).reversed().map { (node: $0, depth: depth + 1) }
        }
        return lines.joined(separator: "\n")
    }

    /// The graph in the language of Graphviz, with an edge from each subscription to its parent. Paused subscriptions
    /// are dashed.
    public var graphviz: String {
        var lines = ["digraph signals {", "  node [shape=box, style=rounded]"]
        let known = Set(nodes.map(\.number))
        for node in nodes {
            let text = node.description.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
            lines.append("  n\(node.number) [label=\"\(text)\"\(node.isPaused ? ", style=\"rounded,dashed\"" : "")]")
        }
        for node in nodes {
            if let parent = node.parent, known.contains(parent) { lines.append("  n\(node.number) -> n\(parent)") }
        }
        return (lines + ["}"]).joined(separator: "\n")
    }
}

extension LiveSnapshot.Node: CustomStringConvertible {
    /// The subscription in one line.
    public var description: String {
        var text = "#\(number) \(name)"
        if let file, let line { text += " at \(file):\(line)" }
        if isPaused { text += ", paused" }
        if let waiting { text += ", \(waiting) waiting" }
        return text
    }
}
