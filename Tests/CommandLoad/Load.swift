// SPDX-License-Identifier: MIT
import LoopTestSupport
import ReactiveCommands
import ReactiveCore
import ReactiveSignals
import SchedulerConformance
import Synchronization

/// The work that a command executes.
enum LoadWork: String, CaseIterable {
    /// A synchronous function.
    case function
    /// A signal that terminates during its subscription.
    case signal
    /// A signal that terminates on a pool's thread.
    case pool
}

/// One command that eight threads execute as often as they can. The callers and the work each count what happens.
final class Load: Sendable {
    private let strategy: CommandStrategy
    private let command: Command<Int, Int, Never>
    private let inside: Inside
    private let ends = Ends()
    private let seen = Seen()

    init(_ strategy: CommandStrategy, _ work: LoadWork) {
        self.strategy = strategy
        let inside = Inside()
        self.inside = inside
        switch work {
        case .function:
            command = Command(strategy, trying: { number in inside.during { number } })
        case .signal:
            command = Command(strategy) { number in
                Signal { emitter, subscription in
                    inside.enter()
                    subscription.onDispose { inside.leave() }
                    emitter.send(number)
                    emitter.complete()
                }
            }
        case .pool:
            let pool = WorkerPool(name: "load", maximumThreads: 2)
            command = Command(strategy) { number in
                Signal { emitter, subscription in
                    // The first caller leaves, whether that is the work or the teardown. No thread waits for a
                    // teardown that another thread runs.
                    let isInside = Box(true)
                    let leave: @Sendable () -> Void = {
                        isInside.update { isInside in
                            if isInside { inside.leave() }
                            isInside = false
                        }
                    }
                    inside.enter()
                    subscription.onDispose(leave)
                    pool.execute {
                        leave()
                        emitter.send(number)
                        emitter.complete()
                    }
                }
            }
        }
    }

    /// Executes the command `count` times, waits for every end, and returns a list of the failed expectations.
    func run(_ count: Int) -> [String] {
        let threads = 8
        let staying = [
            command.isExecuting.signal.subscribe(onValue: { [seen] in seen.executing($0) }),
            command.values.subscribe(onValue: { [seen] _ in seen.values.add(1) }),
            command.completions.subscribe(onValue: { [seen] in seen.completions.add(1) }),
            command.rejections.subscribe(onValue: { [seen] _ in seen.rejections.add(1) }),
        ]
        let per = count / threads
        let all = (0..<threads).map { thread in
            TestThread { [self] in
                for number in 0..<per {
                    let end = Latch()
                    let observer = LoadObserver(ends, end)
                    if (thread + number) % 3 == 0 {
                        command.execute(number).subscribe(observer)
                    } else {
                        command.execute(number, into: observer)
                    }
                    // Wait now and then, so that the pool's jobs do not pile up.
                    if number % 32 == 0 { try end.wait("the end of an execution") }
                }
            }
        }
        var faults: [String] = []
        do {
            for thread in all { try thread.join() }
            try waitUntil("end of every execution") { ends.all == per * threads && !command.isExecuting.value }
            // The thread that notifies observers can lag behind the executing threads, at an earlier `false`.
            try waitUntil("the last notification") {
                seen.isExecuting == false && seen.completions.value == ends.completed.value
                    && seen.rejections.value == ends.rejected.value && seen.values.value >= ends.completed.value
            }
        } catch {
            faults.append("\(error): \(ends.all) of \(per * threads) ended")
        }
        for subscription in staying { subscription.dispose() }
        func expect(_ isRight: Bool, _ what: String) {
            if !isRight { faults.append(what) }
        }
        let text = "\(ends) \(inside) \(seen)"
        expect(ends.all == per * threads, "each execution ends once: \(text)")
        expect(inside.most <= limit, "at most \(limit) executions at a time: \(text)")
        expect(inside.now == 0, "no execution is left running: \(text)")
        expect(inside.begun >= ends.completed.value, "every completed execution has begun: \(text)")
        expect(ends.values.value >= ends.completed.value, "every completed execution sent its value: \(text)")
        expect(seen.completions.value == ends.completed.value, "completions: \(text)")
        expect(seen.values.value >= ends.completed.value, "values: \(text)")
        expect(seen.rejections.value == ends.rejected.value, "rejections: \(text)")
        expect(!seen.isWrong, "isExecuting alternates: \(text)")
        if strategy != .latest {
            expect(ends.cancelled.value == 0, "nothing is cancelled: \(text)")
            expect(inside.begun == ends.completed.value, "every accepted execution completed: \(text)")
        } else {
            expect(ends.rejected.value == 0, "nothing is rejected: \(text)")
        }
        if strategy == .concurrent() { expect(ends.completed.value == per * threads, "all are accepted: \(text)") }
        print(text)
        return faults
    }

    private var limit: Int {
        if strategy == .concurrent() { return .max }
        return strategy == .concurrent(limit: 3) || strategy == .queue(limit: 10, running: 3) ? 3 : 1
    }
}
