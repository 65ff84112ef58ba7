// SPDX-License-Identifier: MIT
import ReactiveSignals
import ReactiveSupport

/// One leak check. It finds the objects that began within it and still exist.
final class LeakCheck: Sendable {
    let scope = LeakScope()
    private let kinds: LeakKinds
    private let before: [Int32: String]

    init(for kinds: LeakKinds) {
        self.kinds = kinds
        before = kinds.contains(.descriptors) ? OpenDescriptors.targets() : [:]
        if kinds.contains(.subscriptions) { LiveGraph.beginCheck() }
    }

    /// Stops recording. Call it once.
    func end() {
        if kinds.contains(.subscriptions) { LiveGraph.endCheck() }
    }

    /// Returns the objects that began within the check and still exist.
    func leaks() -> [Leak] {
        var leaks: [Leak] = []
        if kinds.contains(.subscriptions) { leaks += LiveGraph.snapshot(of: scope).nodes.map { .subscription($0) } }
        if kinds.contains(.loops) { leaks += scope.loops.map { .loop(name: $0) } }
        if kinds.contains(.descriptors) {
            let new = OpenDescriptors.targets().filter { number, target in before[number] != target }
            leaks += new.sorted { $0.key < $1.key }.map { .descriptor($0.key, target: $0.value) }
        }
        return leaks
    }
}

/// The delays between repeated looks for leaks, because other threads may still be cleaning up.
struct LeakWait {
    private let deadline: ContinuousClock.Instant
    /// The length of the last wait, in nanoseconds. The next one is twice as long, and at most 20 ms.
    private var last: Int64 = 500_000
    /// The leaks that every look so far has found.
    private(set) var leaks: [Leak]

    init(_ leaks: [Leak], within limit: Duration) {
        self.leaks = leaks
        deadline = .now + limit
    }

    /// Returns the time until the next look, or `nil` if no leak is left or the time limit is reached.
    mutating func nextWait() -> Duration? {
        let left = ContinuousClock.now.duration(to: deadline)
        if leaks.isEmpty || left <= .zero { return nil }
        last = min(last * 2, 20_000_000)
        return min(.nanoseconds(last), left)
    }

    /// Removes the leaks that are not in `present`. A leak that is only in `present` began after the first look, and
    /// is not reported.
    mutating func look(_ present: [Leak]) {
        leaks.removeAll { leak in !present.contains { $0.isSame(as: leak) } }
    }
}

extension Leak {
    /// Whether both are the same object. Two looks at one subscription may find different pauses and waiting values.
    fileprivate func isSame(as other: Leak) -> Bool {
        if case (.subscription(let node), .subscription(let other)) = (self, other) {
            return node.number == other.number
        }
        return self == other
    }
}
