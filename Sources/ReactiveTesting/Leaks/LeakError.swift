// SPDX-License-Identifier: MIT
public import ReactiveSignals

/// The kinds of leaks that `withLeakCheck` looks for.
public struct LeakKinds: OptionSet, Sendable, Hashable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Subscriptions that have neither terminated nor been disposed or released.
    public static let subscriptions = LeakKinds(rawValue: 1)
    /// Loops that have not been disposed.
    public static let loops = LeakKinds(rawValue: 2)
    /// Open descriptors of the process. Leave them out if other tests open descriptors at the same time.
    public static let descriptors = LeakKinds(rawValue: 4)
    /// All kinds.
    public static let all: LeakKinds = [.subscriptions, .loops, .descriptors]
}

/// An object that began within a leak check and still existed at the end of the check.
public enum Leak: Sendable, Hashable, CustomStringConvertible {
    /// A live subscription: its name, and the file and line in which it began or was named. File and line are `nil` for
    /// `subscribe(_:in:)`, which does not know them. `named(_:file:line:)` adds them.
    case subscription(LiveSnapshot.Node)
    /// A loop that is not disposed, by its name.
    case loop(name: String)
    /// An open descriptor: its number, and what it refers to. `target` is the link in `/proc/self/fd`, such as
    /// `socket:[4026]`, `anon_inode:[eventfd]` or a path.
    case descriptor(Int32, target: String)

    /// The leak in one line.
    public var description: String {
        switch self {
        case .subscription(let node): Self.text(node)
        case .loop(let name): "loop \(name), not disposed"
        case .descriptor(let number, let target): "descriptor \(number), \(target)"
        }
    }

    private static func text(_ node: LiveSnapshot.Node) -> String {
        // `subscription` is the default name.
        var text = node.name == "subscription" ? node.name : "subscription \(node.name)"
        if let file = node.file, let line = node.line { text += " at \(file):\(line)" }
        if node.isPaused { text += ", paused" }
        if let waiting = node.waiting, waiting > 0 { text += ", \(waiting) waiting" }
        return text
    }
}

/// The error of a leak check whose body left something behind.
public struct LeakError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The leaks: subscriptions and loops in the order in which they began, then descriptors by number.
    public let leaks: [Leak]
    /// The file of the check.
    public let file: String
    /// The line of the check in that file.
    public let line: UInt

    /// The location of the check, and one line for each leak.
    public var description: String {
        let count = leaks.count == 1 ? "1 leak" : "\(leaks.count) leaks"
        let head = "\(count) found by the leak check at \(file):\(line):"
        return ([head] + leaks.map { "  \($0)" }).joined(separator: "\n")
    }
}
