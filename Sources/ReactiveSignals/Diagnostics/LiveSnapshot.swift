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
        /// The number of the parent subscription; when the parent ends, this one is disposed. `nil` if it has no
        /// parent.
        public var parent: Int?
        /// Whether it is paused.
        public var isPaused: Bool
        /// The number of values in its queues. `nil` means that it has no queue.
        public var waiting: Int?
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
