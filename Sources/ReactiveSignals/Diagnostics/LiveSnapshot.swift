/// What was alive when ``LiveGraph/snapshot()`` looked: to be counted, searched, printed, or drawn by Graphviz.
public struct LiveSnapshot: Sendable, CustomStringConvertible {
    /// One subscription.
    public struct Node: Sendable, Hashable {
        /// In which order it began; the same in every snapshot.
        public var number: Int
        /// What it was called: its name, the operator whose input it is, or "subscription".
        public var name: String
        /// The file in which it began, or was named.
        public var file: String?
        /// The line there.
        public var line: UInt?
        /// The number of the one that it ends with; nil for one that somebody has made by subscribing.
        public var parent: Int?
        /// Whether it is held at the moment.
        public var isPaused: Bool
        /// How many values wait in its queues; nil where it has none.
        public var waiting: Int?
    }

    /// All of them, in the order in which they began.
    public var nodes: [Node]

    /// How many there are of each name.
    public var counts: [String: Int] {
        nodes.reduce(into: [:]) { counts, node in counts[node.name, default: 0] += 1 }
    }

    /// How many values wait in all of them.
    public var waiting: Int { nodes.reduce(0) { $0 + ($1.waiting ?? 0) } }

    /// Those that end with the one of this number, and theirs, with it.
    public func subtree(_ number: Int) -> LiveSnapshot {
        var numbers: Set = [number]
        // A child is younger than its parent.
        return LiveSnapshot(
            nodes: nodes.filter { node in
                guard node.number == number || node.parent.map(numbers.contains) == true else { return false }
                numbers.insert(node.number)
                return true
            }
        )
    }

    /// A line for each, those that end with another one below it and further in.
    public var description: String {
        let known = Set(nodes.map(\.number))
        let children = Dictionary(grouping: nodes) { node in node.parent.flatMap { known.contains($0) ? $0 : nil } }
        var lines = ["\(nodes.count) alive, \(waiting) values waiting"]
        // A list, not recursion: depth costs no stack.
        var pending = (children[nil] ?? []).reversed().map { (node: $0, depth: 0) }
        while let (node, depth) = pending.popLast() {
            lines.append(String(repeating: "  ", count: depth) + node.description)
            pending += (children[node.number] ?? []).reversed().map { (node: $0, depth: depth + 1) }
        }
        return lines.joined(separator: "\n")
    }

    /// The same as a graph in the language of Graphviz; what is held is dashed.
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
    /// The node in a few words.
    public var description: String {
        var text = "#\(number) \(name)"
        if let file, let line { text += " at \(file):\(line)" }
        if isPaused { text += ", paused" }
        if let waiting { text += ", \(waiting) waiting" }
        return text
    }
}
