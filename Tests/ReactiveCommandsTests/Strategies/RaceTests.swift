// SPDX-License-Identifier: MIT
import LoopTestSupport
import ReactiveCommands
import ReactiveCore
import ReactiveSignals
import SchedulerConformance
import SchedulerEngine
import Testing

/// Cancellation, the end of a command and observation on other threads than the work.
@Suite struct RaceTests {
    static let strategies: [CommandStrategy] = [
        .serial, .concurrent(limit: 2), .queue(limit: 4), .queue(limit: 4, whenFull: .dropOldest), .latest,
    ]

    /// Counts the executions that begin and those that are released.
    private final class Counted: Sendable {
        let begun = Box(0)
        let ended = Box(0)
        private let pool = WorkerPool(name: "races", maximumThreads: 2)

        /// Work that completes at once, completes on another thread, or never completes.
        func signal(_ input: Int) -> Signal<Int, TestError> {
            Signal { [self] emitter, subscription in
                begun.increment()
                subscription.onDispose { [ended] in ended.increment() }
                switch input % 3 {
                case 0: emitter.complete()
                case 1: pool.execute { emitter.complete() }
                default: break
                }
            }
        }
    }

    @Test("An execution disposed by another thread frees its slot", arguments: strategies)
    func whoIsDisposedByAnotherThreadLeavesItsPlace(_ strategy: CommandStrategy) throws {
        let work = Counted()
        let command = Command<Int, Int, TestError>(strategy) { work.signal($0) }
        let rounds = Platform.rounds(500)
        let threads = (0..<4).map { _ in
            TestThread {
                for number in 0..<rounds {
                    let subscription = SignalSubscription()
                    let other = TestThread.inPassing { subscription.dispose() }
                    command.apply(number).subscribe(in: subscription, onValue: { _ in }, onTermination: { _ in })
                    try other.join()
                }
            }
        }
        for thread in threads { try thread.join() }
        // No slot is taken any more, and every execution that began was released.
        try waitUntil("end of all") { !command.isExecuting.value && work.begun.value == work.ended.value }
        #expect(command.isEnabled.value)
        #expect(command.execute(0).log().end == .completed)
    }

    @Test("The end of a command cancels each execution once", arguments: strategies)
    func anEndBreaksOffEverythingOnce(_ strategy: CommandStrategy) throws {
        for _ in 0..<Platform.rounds(50) {
            let work = Counted()
            let command = Command<Int, Int, TestError>(strategy) { work.signal($0) }
            let (ends, ready) = (Box(0), Latch(5))
            let states = command.isExecuting.signal.log()
            let threads = (0..<4).map { _ in
                TestThread {
                    ready.arrive()
                    try ready.wait("the others")
                    for number in 0..<20 {
                        command.execute(number).subscribe(onValue: { _ in }, onTermination: { _ in ends.increment() })
                    }
                }
            }
            ready.arrive()
            command.end(.cancel)
            for thread in threads { try thread.join() }
            try waitUntil("ends") { ends.value == 80 && work.begun.value == work.ended.value }
            #expect(!command.isExecuting.value)
            #expect(states.end == .completed)
            #expect(states.values.enumerated().allSatisfy { $1 == !$0.isMultiple(of: 2) })
        }
    }

    @Test("Subscribers that come and go receive the states in order", arguments: strategies)
    func whoComesAndGoesSeesStatesInTheirOrder(_ strategy: CommandStrategy) throws {
        let work = Counted()
        let command = Command<Int, Int, TestError>(strategy) { work.signal($0) }
        let staying = command.isExecuting.signal.log()
        let over = Box(false)
        let wrong = Box(0)
        let executing = (0..<3).map { _ in
            TestThread { for number in 0..<Platform.rounds(1000) { command.execute(number * 3 + number % 2) } }
        }
        let observing = (0..<2).map { _ in
            TestThread {
                while !over.value {
                    let subscription = SignalSubscription()
                    let log = command.isExecuting.signal.log(in: subscription)
                    command.execute(0)
                    subscription.dispose()
                    let values = log.values
                    if values.isEmpty || zip(values, values.dropFirst()).contains(where: ==) { wrong.increment() }
                }
            }
        }
        for thread in executing { try thread.join() }
        over.value = true
        for thread in observing { try thread.join() }
        try waitUntil("last end") { !command.isExecuting.value && staying.values.last == false }
        #expect(wrong.value == 0)
        #expect(staying.values.enumerated().allSatisfy { $1 == !$0.isMultiple(of: 2) })
    }

    @Test("A loop receives all events of a command in one order", arguments: LoopKind.all)
    func aLoopIsToldInOneOrder(_ kind: LoopKind) throws {
        let loop = try kind.make(thread: .owned)
        let command = Command<Int, Int, Never>(delivery: .on(loop), trying: { $0 })
        let told = Recorder<String>()
        let isThere = Box(true)
        let record: @Sendable (String) -> Void = { text in
            if !loop.isCurrent { isThere.value = false }
            told.append(text)
        }
        try loop.sync {
            command.isExecuting.signal.subscribe { record($0 ? "begin" : "idle") }
            command.events.subscribe { event in
                if case .value(let value) = event { record("\(value)") } else { record("end") }
            }
        }
        for number in 0..<100 { command.execute(number) }
        try loop.sync {}
        #expect(told.values == ["idle"] + (0..<100).flatMap { ["begin", "\($0)", "end", "idle"] })
        #expect(isThere.value)
        // An execution on the loop is reported there at once.
        let count = told.count
        try loop.sync {
            command.execute(7)
            #expect(told.count == count + 4)
        }
        loop.dispose()
    }
}

extension TestThread {
    /// A thread that races with the caller's next step.
    fileprivate static func inPassing(_ body: @escaping @Sendable () -> Void) -> TestThread { TestThread { body() } }
}
