// SPDX-License-Identifier: MIT
import LoopName
import Measure
import ReactiveCore

/// Sets and cancels `--count` timers `--cycles` times on the main thread's loop. The first cycle is cold, because
/// malloc must get pages from the system. The later ones are warm.
func measureTimers(_ arguments: Arguments) throws {
    let name = LoopName(arguments)
    let count = arguments.number("count", default: 1_000_000)
    let cycles = arguments.number("cycles", default: 3)
    try onLoop(name.main) { loop in
        for cycle in 0..<cycles {
            let bench = TimerBench(loop, name.rawValue, count: count)
            bench.run(cycle == 0 ? "cold" : "warm")
        }
        if arguments.wants("push") {
            measurePushing(loop, name.rawValue, arguments.number("pushes", default: 1_000_000))
        }
    }
}

/// Runs the loop on this thread with `body` as its work, and stops it when `body` has returned.
func onLoop(_ loop: any LoopScheduler, _ body: @escaping @Sendable (any LoopScheduler) -> Void) throws {
    loop.execute {
        body(loop)
        loop.stop()
    }
    try loop.run()
}

/// One cycle: schedules, cancels and releases all timers.
struct TimerBench {
    private let loop: any LoopScheduler
    private let who: String
    private let count: Int

    init(_ loop: any LoopScheduler, _ who: String, count: Int) {
        self.loop = loop
        self.who = who
        self.count = count
    }

    func run(_ state: String) {
        var handles: [any Disposable] = []
        handles.reserveCapacity(count)
        var random = RandomSequence()
        let start = loop.now.nanoseconds
        let before = Platform.liveBytes
        var inserted = measure("insert \(count) \(state)", who, events: count) {
            for _ in 0..<count {
                let deadline = start + Int64(1_000_000 + random.next() % 99_000_000) * 1000
                handles.append(loop.schedule(at: LoopInstant(nanoseconds: deadline), options: TimerOptions()) {})
            }
        }
        inserted.others = [("bytes", Double(Platform.liveBytes - before) / Double(count))]
        inserted.report()
        measure("cancel \(count) \(state)", who, events: count) {
            for handle in handles { handle.dispose() }
        }.report()
        var released = measure("release \(count) \(state)", who, events: count) {
            handles.removeAll(keepingCapacity: true)
        }
        released.others = [("bytes", Double(Platform.liveBytes - before) / Double(count))]
        released.report()
    }
}

/// Postpones one deadline `times` times, among ten thousand other timers.
func measurePushing(_ loop: any LoopScheduler, _ who: String, _ times: Int) {
    var others: [any Disposable] = []
    var random = RandomSequence()
    for _ in 0..<10_000 {
        others.append(loop.schedule(after: .milliseconds(Int64(10_000 + random.next() % 60_000))) {})
    }
    var deadline = loop.now.nanoseconds + 60_000_000_000
    var timer = loop.schedule(at: LoopInstant(nanoseconds: deadline), options: TimerOptions()) {}
    measure("push back", who, events: times) {
        for _ in 0..<times {
            deadline += 1000
            timer.dispose()
            timer = loop.schedule(at: LoopInstant(nanoseconds: deadline), options: TimerOptions()) {}
        }
    }.report()
    timer.dispose()
    for other in others { other.dispose() }
}
