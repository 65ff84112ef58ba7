import LoopTestSupport
import ReactiveCommands
import ReactiveCore
import ReactiveSignals
import SchedulerConformance
import Synchronization

/// What is executed.
enum LoadWork: String, CaseIterable {
    /// A function.
    case function
    /// A signal that ends while it is subscribed to.
    case signal
    /// A signal that ends on a thread of a pool's.
    case pool
}

/// One command, and eight threads that execute it as often as they can; everything is counted on both sides.
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
                    // Left once, by whoever is first: a teardown that another thread is at is waited for by nobody.
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

    /// Executes so often, waits for all ends, and gives what was not right.
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
                    // Every now and then, so that what a pool has to do does not pile up.
                    if number % 32 == 0 { try end.wait("the end of an execution") }
                }
            }
        }
        var faults: [String] = []
        do {
            for thread in all { try thread.join() }
            try waitUntil("end of every execution") { ends.all == per * threads && !command.isExecuting.value }
            // Whoever tells observers may be behind those who execute, at an earlier false.
            try waitUntil("last notice") {
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
        expect(inside.most <= limit, "no more than \(limit) at a time: \(text)")
        expect(inside.now == 0, "nothing left running: \(text)")
        expect(inside.begun >= ends.completed.value, "what completed has begun: \(text)")
        expect(ends.values.value >= ends.completed.value, "each that completed had its value: \(text)")
        expect(seen.completions.value == ends.completed.value, "completions: \(text)")
        expect(seen.values.value >= ends.completed.value, "values: \(text)")
        expect(seen.rejections.value == ends.rejected.value, "rejections: \(text)")
        expect(!seen.isWrong, "executing alternates: \(text)")
        if strategy != .latest {
            expect(ends.cancelled.value == 0, "nobody cancels: \(text)")
            expect(inside.begun == ends.completed.value, "what was let in completed: \(text)")
        } else {
            expect(ends.rejected.value == 0, "nobody is rejected: \(text)")
        }
        if strategy == .concurrent() { expect(ends.completed.value == per * threads, "everyone is let in: \(text)") }
        print(text)
        return faults
    }

    private var limit: Int {
        if strategy == .concurrent() { return .max }
        return strategy == .concurrent(limit: 3) || strategy == .queue(limit: 10, running: 3) ? 3 : 1
    }
}
