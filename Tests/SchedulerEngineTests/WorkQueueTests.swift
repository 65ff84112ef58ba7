// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSupport
import SchedulerConformance
import Synchronization
import Testing

@testable import SchedulerEngine

/// More jobs than a block of the queue holds.
private let many = 1000

@Suite struct WorkQueueTests {
    @Test("X6: jobs of every kind are popped in the order of insertion, across blocks")
    func kinds() {
        let queue = WorkQueue()
        let ran = Ran()
        for number in 0..<many { queue.append(ran.piece(number)) }
        #expect(queue.count == many)
        while let piece = queue.popFirst() {
            #expect(piece.kind == Kind(ran.numbers.count))
            ran.run(piece)
        }
        #expect(ran.numbers == Array(0..<many) && queue.isEmpty)
    }

    @Test("X6: jobs taken over are appended, whatever was popped before")
    func takeOver() {
        var random = SplitMix64(seed: 1)
        let (inbox, work, ran) = (WorkQueue(), WorkQueue(), Ran())
        var posted = 0
        while posted < 20 * many {
            // Between none and a few blocks, and more at once than are popped in between.
            for _ in 0..<Int.random(in: 0...400, using: &random) {
                inbox.append(ran.piece(posted))
                posted += 1
            }
            work.takeAll(from: inbox)
            #expect(inbox.isEmpty)
            for _ in 0..<Int.random(in: 0...390, using: &random) {
                if let piece = work.popFirst() { ran.run(piece) }
            }
            #expect(work.count == posted - ran.numbers.count)
        }
        while let piece = work.popFirst() { ran.run(piece) }
        #expect(ran.numbers == Array(0..<posted))
    }

    @Test("A job's captures are released after it is popped, and with the queue")
    func memory() {
        weak var first: Ran?
        weak var last: Ran?
        do {
            let queue = WorkQueue()
            do {
                let (begin, end) = (Ran(), Ran())
                (first, last) = (begin, end)
                for number in 0..<many {
                    queue.append(.closure { begin.add(number) })
                    queue.append(.scheduled(ScheduledWork { end.add(number) }))
                }
            }
            for _ in 0..<many { _ = queue.popFirst() }
            #expect(first != nil && last != nil)
        }
        #expect(first == nil && last == nil)
    }

    @Test("The blocks of a flood are kept up to a limit, and each quiet turn releases one")
    func spareBlocks() {
        let (inbox, work) = (WorkQueue(), WorkQueue())
        func flood(_ count: Int) {
            for _ in 0..<count { inbox.append(.closure {}) }
            work.takeAll(from: inbox)
            #expect(work.removeAll().count == count)
        }
        flood(20 * many)
        let kept = work.spareCount
        #expect(kept > 100)
        // Each side may own blocks by now, and a flood of this size needs no more.
        for _ in 0..<5 { flood(20 * many) }
        #expect(work.spareCount + inbox.spareCount <= 2 * (kept + 1))
        flood(200 * many)
        #expect(max(work.spareCount, inbox.spareCount) == 1024)
        for _ in 0..<2 * many { flood(1) }
        #expect(work.spareCount + inbox.spareCount <= 16)
    }
}

private enum Kind: Equatable {
    case closure, scheduled, job

    init(_ number: Int) { self = [.closure, .scheduled, .job, .closure][number % 4] }
}

extension Inbox.Work {
    fileprivate var kind: Kind {
        switch self {
        case .closure: .closure
        case .scheduled: .scheduled
        case .job: .job
        }
    }
}

/// Creates jobs of every kind, and records which of them have run. As an executor it stores the job that is created
/// on it.
private final class Ran: TaskExecutor {
    private let state = Mutex((numbers: [Int](), job: UnownedJob?.none))

    var numbers: [Int] { state.withLock { state in state.numbers } }

    func add(_ number: Int) { state.withLock { state in state.numbers.append(number) } }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        state.withLock { state in state.job = job }
    }

    func piece(_ number: Int) -> Inbox.Work {
        switch Kind(number) {
        case .closure: return .closure { self.add(number) }
        case .scheduled: return .scheduled(ScheduledWork { self.add(number) })
        case .job:
            Task(executorPreference: self) { self.add(number) }
            guard let job = state.withLock({ state in state.job.take() }) else { fatalError("no job was made") }
            return .job(job)
        }
    }

    func run(_ piece: consuming Inbox.Work) {
        switch consume piece {
        case .closure(let work): work()
        case .scheduled(let scheduled): scheduled.run()
        case .job(let job): job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}
