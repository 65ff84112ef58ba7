// SPDX-License-Identifier: MIT
import LoopTestSupport
import ReactiveCommands
import ReactiveCore
import SchedulerConformance
import Synchronization

final class Count: Sendable {
    private let count = Atomic<Int>(0)

    var value: Int { count.load(ordering: .sequentiallyConsistent) }

    @discardableResult
    func add(_ number: Int) -> Int { count.wrappingAdd(number, ordering: .sequentiallyConsistent).newValue }

    func raise(to number: Int) { count.max(number, ordering: .sequentiallyConsistent) }
}

/// Counts the executions in progress, from inside their work.
final class Inside: Sendable, CustomStringConvertible {
    private let entered = Count()
    private let running = Count()
    private let highest = Count()

    var begun: Int { entered.value }
    var now: Int { running.value }
    var most: Int { highest.value }
    var description: String { "begun \(begun), at a time \(most)" }

    func enter() {
        entered.add(1)
        highest.raise(to: running.add(1))
    }

    func leave() { running.add(-1) }

    func during(_ body: () -> Int) -> Int {
        enter()
        defer { leave() }
        return body()
    }
}

/// How the executions ended, as their callers see it.
final class Ends: Sendable, CustomStringConvertible {
    let values = Count()
    let completed = Count()
    let rejected = Count()
    let cancelled = Count()

    var all: Int { completed.value + rejected.value + cancelled.value }
    var description: String {
        "completed \(completed.value), rejected \(rejected.value), cancelled \(cancelled.value),"
    }
}

/// The events that the command's observers receive.
final class Seen: Sendable, CustomStringConvertible {
    let values = Count()
    let completions = Count()
    let rejections = Count()
    private let last = Box<Bool?>(nil)
    private let wrong = Box(false)

    var isExecuting: Bool { last.value ?? false }
    var isWrong: Bool { wrong.value }
    var description: String { "seen: \(completions.value) completions, \(rejections.value) rejections" }

    func executing(_ value: Bool) {
        if last.value == value { wrong.value = true }
        last.value = value
    }
}

struct LoadObserver: Observer {
    private let ends: Ends
    private let end: Latch

    init(_ ends: Ends, _ end: Latch) {
        self.ends = ends
        self.end = end
    }

    func receive(_ value: Int) { ends.values.add(1) }

    func receive(termination: Termination<CommandError<Never>>) {
        switch termination {
        case .completed: ends.completed.add(1)
        case .failed(.rejected): ends.rejected.add(1)
        case .failed(.cancelled): ends.cancelled.add(1)
        }
        end.arrive()
    }
}
