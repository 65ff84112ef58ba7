// SPDX-License-Identifier: MIT
import Dispatch
import ReactiveCore
import ReactiveSignals

/// A chain whose subscription is paused and resumed again and again. With children, each pause takes the lock of
/// Docs/Decisions/0010-one-lock-passes-pauses-on.md.
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

/// Four threads with a chain each, compared with one thread that runs the four chains one after the other: CPU time, so the
/// number of processors does not matter.
@inline(never)
func pauses(every interval: Int, hasChildren: Bool) -> Row {
    let chains = (0..<4).map { _ in PausedChain(hasChildren: hasChildren) }
    let queues = chains.indices.map { DispatchQueue(label: "chain \($0)") }
    let count = events / chains.count
    return Row(
        name: "\(hasChildren ? "merge" : "map"): a pause every \(interval) values",
        events: count * chains.count,
        limit: .ratio(1.10),
        sides: [
            Side(who: "4 threads") {
                let group = DispatchGroup()
                for (chain, queue) in zip(chains, queues) {
                    queue.async(group: group) { chain.send(count, pausingEvery: interval) }
                }
                group.wait()
                return chains.reduce(0) { $0 &+ $1.total.take() }
            },
            Side(who: "1 thread") {
                for chain in chains { chain.send(count, pausingEvery: interval) }
                return chains.reduce(0) { $0 &+ $1.total.take() }
            },
        ],
        isParallel: true
    )
}
