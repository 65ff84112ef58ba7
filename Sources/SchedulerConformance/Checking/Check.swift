// SPDX-License-Identifier: MIT
package import ReactiveCore
import ReactiveSupport

/// One run of one rule's check: its loops, its trace, and its first failure. Any thread may use every member.
package final class Check: Sendable {
    private struct Note {
        let moment: Int64
        let text: String
        var count = 1

        var line: String { "\(moment) ms  \(text)" + (count > 1 ? ", \(count) times" : "") }
    }

    private struct State {
        var trace: [Note] = []
        var failure: RuleResult.Failure?
        var furtherFailures = 0
        var loops: [any LoopScheduler] = []
        var atEnd: [@Sendable () -> Void] = []
        var afterLoops: [@Sendable () -> Void] = []
        var handles: [any Disposable] = []
        var numberOfLoops = 0
    }

    /// The maximum number of lines in the trace.
    private static let traceLength = 200

    /// The description of the checked loop.
    package let description: LoopDescription
    /// The loops of this program that run in real time, beginning with the checked loop. Rules about two loops use
    /// them.
    package let peers: [LoopDescription]
    /// The seed of random choices. It is printed with the results.
    package let seed: UInt64
    /// The factor by which time limits are multiplied.
    package let scale: Double
    /// Whether stochastic rules run all of their rounds.
    package let isLong: Bool

    private let state = Lock(State())
    private let start = Platform.now

    package init(
        _ description: LoopDescription,
        peers: [LoopDescription] = [],
        seed: UInt64 = 1,
        scale: Double = 1,
        isLong: Bool = false
    ) {
        self.description = description
        let real = peers.filter { peer in
            peer.name != description.name && peer.allAbsent[.realTime] == nil
                // A loop of a simulated machine and a loop of this machine do not reach each other.
                && (peer.machine == nil) == (description.machine == nil)
        }
        self.peers = (description.allAbsent[.realTime] == nil ? [description] : []) + real
        self.seed = seed
        self.scale = scale
        self.isLong = isLong
    }

    // MARK: Findings

    /// Adds a line to the trace that is printed with a failure. Repeated lines are merged.
    package func note(_ text: @autoclosure () -> String) {
        let (moment, text) = (Platform.milliseconds(since: start), text())
        state.withLock { state in
            if state.trace.last?.text == text {
                state.trace[state.trace.count - 1].count += 1
            } else {
                state.trace.append(Note(moment: moment, text: text))
                if state.trace.count > Self.traceLength { state.trace.removeFirst() }
            }
        }
    }

    /// Fails the check if `condition` is false, but continues it. Only the first failure is reported in full.
    package func expect(
        _ condition: Bool,
        _ expected: @autoclosure () -> String,
        seen: @autoclosure () -> String = "the opposite",
        file: StaticString = #fileID,
        line: Int = #line
    ) {
        if condition { return }
        fail(expected: expected(), seen: "\(seen()) (\(file):\(line))")
    }

    /// Fails the check if `isRight` is false for a value, which the failure shows.
    package func expect<Value>(
        _ seen: Value,
        _ expected: @autoclosure () -> String,
        file: StaticString = #fileID,
        line: Int = #line,
        _ isRight: (Value) -> Bool
    ) {
        expect(isRight(seen), expected(), seen: "\(seen)", file: file, line: line)
    }

    /// Fails the check unless exactly the sent bytes have arrived.
    package func expect(
        _ seen: [UInt8],
        sent: [UInt8],
        _ expected: @autoclosure () -> String,
        file: StaticString = #fileID,
        line: Int = #line
    ) {
        expect(seen == sent, expected(), seen: "\(seen.count) bytes, or different ones", file: file, line: line)
    }

    /// Fails the check if the values differ.
    package func equal<Value: Equatable>(
        _ seen: Value,
        _ expected: Value,
        _ what: @autoclosure () -> String,
        file: StaticString = #fileID,
        line: Int = #line
    ) {
        if seen == expected { return }
        fail(expected: "\(what()): \(brief(expected))", seen: "\(brief(seen)) (\(file):\(line))")
    }

    package func fail(expected: String, seen: String) {
        state.withLock { state in
            if state.failure != nil {
                state.furtherFailures += 1
            } else {
                state.failure = RuleResult.Failure(expected: expected, seen: seen, trace: state.trace.map(\.line))
            }
        }
    }

    /// The first failure, with the number of further failures.
    package var failure: RuleResult.Failure? {
        state.withLock { state in
            var failure = state.failure
            if state.furtherFailures > 0 { failure?.seen += ", and \(state.furtherFailures) more" }
            return failure
        }
    }

    package var trace: [String] { state.withLock { state in state.trace.map(\.line) } }

    private func brief(_ value: some Any) -> String {
        let text = "\(value)"
        return text.utf8.count > 300 ? "\(text.prefix(300))… (\(text.utf8.count) bytes)" : text
    }

    // MARK: Loops

    /// Creates a loop that the check itself runs, turn by turn, or one that owns a thread.
    package func loop(isOwned: Bool = false) throws -> any LoopScheduler {
        try loop(of: description, isOwned: isOwned)
    }

    /// Creates a loop that owns a thread.
    package func ownedLoop() throws -> any LoopScheduler { try loop(isOwned: true) }

    /// Creates a loop from a description. The kit disposes the loop after the check, and then expects it to be
    /// released.
    package func loop(of description: LoopDescription, isOwned: Bool) throws -> any LoopScheduler {
        let number = state.withLock { state in
            state.numberOfLoops += 1
            return state.numberOfLoops
        }
        let name = "\(Platform.threadPrefix)\(number)"
        let loop = try description.make(name, isOwned)
        note("created loop \(name), \(description.name), " + (isOwned ? "with its own thread" : "run by the check"))
        state.withLock { state in state.loops.append(loop) }
        return loop
    }

    /// Returns the main thread's loop.
    package func mainLoop() throws -> any LoopScheduler {
        guard let main = description.main else { throw Broken("a main loop", "none in the description") }
        return main()
    }

    /// Calls `body` after the check, before leaks are counted.
    package func atEnd(_ body: @escaping @Sendable () -> Void) {
        state.withLock { state in state.atEnd.append(body) }
    }

    /// Calls `body` after the check, when its loops have been disposed.
    func afterLoops(_ body: @escaping @Sendable () -> Void) {
        state.withLock { state in state.afterLoops.append(body) }
    }

    /// Disposes a handle on the check's thread when the check has returned.
    func disposeAtEnd(_ handle: any Disposable) {
        state.withLock { state in state.handles.append(handle) }
    }

    /// Runs a rule's check.
    func run(_ rule: Rule) {
        attempt {
            try rule.check(self)
            let handles = state.withLock { state in state.handles.takeAll() }
            for handle in handles { handle.dispose() }
        }
    }

    /// Disposes all loops, and closes the sockets of the check. Returns weak references, which show whether the loops
    /// have been released.
    package func finish() -> [WeakLoop] {
        let (endings, loops, last) = state.withLock { state in
            let all = (state.atEnd, state.loops, state.afterLoops)
            (state.atEnd, state.loops, state.afterLoops) = ([], [], [])
            return all
        }
        for ending in endings.reversed() { ending() }
        for loop in loops { loop.dispose() }
        for ending in last { ending() }
        return loops.map { loop in WeakLoop(name: loop.name, loop: loop) }
    }
}

/// A weak reference to a loop that must be released.
package struct WeakLoop {
    let name: String
    weak var loop: (any LoopScheduler)?
}

/// An error that ends a check immediately.
package struct Broken: Error, CustomStringConvertible {
    package let expected: String
    package let seen: String

    package init(_ expected: String, _ seen: String) {
        self.expected = expected
        self.seen = seen
    }

    package var description: String { "expected \(expected), saw \(seen)" }
}
