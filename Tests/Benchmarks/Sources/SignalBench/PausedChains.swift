// SPDX-License-Identifier: MIT
import Dispatch
import ReactiveCore
import ReactiveSignals

/// A chain whose subscription is paused and resumed again and again. With children, each pause is passed on to them
/// (Docs/Decisions/0010-a-pause-locks-its-path.md).
private final class PausedChain: @unchecked Sendable {
    private let subject = Subject<Int, Never>()
    private let subscription: SignalSubscription
    let total = Total()

    init(hasChildren: Bool) {
        let values = subject.signal.map { $0 &+ 1 }
        let merged = hasChildren ? Signal.merge([values, Subject<Int, Never>().signal]) : values
        subscription = merged.subscribe { [total] value in total.sum &+= value }
    }

    func send(_ count: Int, pausingEvery interval: Int) {
        for value in 0..<count {
            if value % interval == 0 { subscription.pause().dispose() }
            subject.send(value)
        }
    }
}

/// Runs a chain on each thread. Tests/Benchmarks/pauses.py measures the CPU time.
func pauseChains(onThreads count: Int) {
    let chains = (0..<count).map { _ in PausedChain(hasChildren: arguments.only == "merge") }
    let group = DispatchGroup()
    for (index, chain) in chains.enumerated() {
        DispatchQueue(label: "chain \(index)").async(group: group) {
            chain.send(events, pausingEvery: arguments.interval)
        }
    }
    group.wait()
    precondition(chains.allSatisfy { $0.total.take() == events * (events + 1) / 2 }, "a value was lost")
}
