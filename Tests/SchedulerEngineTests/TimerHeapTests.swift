import ConformanceLoops
import ReactiveCore
import Testing

@testable import SchedulerEngine

@Suite struct TimerHeapTests {
    private func core() throws -> LoopCore {
        try LoopCore(name: "heap", thread: .caller, clock: VirtualClock(), poller: BoxedPoller(VirtualPoller.self))
    }

    private func entry(_ core: LoopCore, _ deadline: Int64, leeway: Duration = .zero) -> TimerEntry {
        TimerEntry(
            core,
            at: LoopInstant(nanoseconds: deadline),
            repeating: nil,
            options: TimerOptions(leeway: leeway)
        ) {}
    }

    @Test("T6, T7: random timers come out by deadline, then insertion, as a sorted list has them")
    func random() throws {
        let core = try core()
        defer { core.dispose() }
        var generator = SystemRandomNumberGenerator()
        for round in 0..<30 {
            var heap = TimerHeap()
            var reference: [(deadline: Int64, sequence: UInt64, entry: TimerEntry)] = []
            let range = Int64(round.isMultiple(of: 2) ? 5 : 1_000_000)
            var sequence: UInt64 = 0
            for _ in 0..<2000 {
                let roll = Int.random(in: 0..<10, using: &generator)
                if roll < 6 {
                    let deadline = Int64.random(in: -range...range, using: &generator)
                    let new = entry(core, deadline)
                    heap.insert(new, sequence: sequence)
                    reference.append((deadline, sequence, new))
                    sequence += 1
                } else if roll < 8, !reference.isEmpty {
                    let victim = reference.remove(at: Int.random(in: reference.indices, using: &generator))
                    let removed = [heap.remove(victim.entry), heap.remove(victim.entry)]
                    #expect(removed == [true, false])
                } else {
                    let now = Int64.random(in: -range...range, using: &generator)
                    let first = reference.min { ($0.deadline, $0.sequence) < ($1.deadline, $1.sequence) }
                    let popped = heap.popFirst(dueAt: LoopInstant(nanoseconds: now))
                    if let first, first.deadline <= now {
                        #expect(popped?.entry === first.entry && popped?.sequence == first.sequence)
                        reference.removeAll { $0.entry === first.entry }
                    } else {
                        #expect(popped == nil)
                    }
                }
                #expect(heap.count == reference.count)
            }
            let order = reference.sorted { ($0.deadline, $0.sequence) < ($1.deadline, $1.sequence) }
            for expected in order {
                #expect(heap.nextDeadline?.nanoseconds == expected.deadline)
                let popped = heap.popFirst(dueAt: .distantFuture)
                #expect(popped?.entry === expected.entry)
            }
            #expect(heap.isEmpty && heap.nextDeadline == nil)
        }
    }

    @Test("A timer that never comes is not waited for, and can be taken out")
    func never() throws {
        let core = try core()
        defer { core.dispose() }
        var heap = TimerHeap()
        let never = entry(core, .max)
        heap.insert(never, sequence: 0)
        let popped = heap.popFirst(dueAt: .distantFuture)
        #expect(heap.nextDeadline == nil && popped == nil)
        let soon = entry(core, 1)
        heap.insert(soon, sequence: 1)
        #expect(heap.nextDeadline?.nanoseconds == 1)
        let removed = heap.remove(never)
        #expect(removed && heap.count == 1)
        let rest = heap.removeAll()
        #expect(rest.first === soon && soon.heapIndex == -1)
    }

    @Test("T19: leeway picks an instant in the window, and keeps the order of deadlines")
    func coalescing() {
        let edges: [Int64] = [
            .min, .min + 1, -1, 0, 1, 2, 3, 1 << 30, 1 << 61, (1 << 62) - 1, 1 << 62, (1 << 62) + 1, .max - 2, .max - 1,
            .max,
        ]
        let leeways: [Int64] = [.min, -1, 0, 1, 2, 3, 1000, 1 << 30, 1 << 61, 1 << 62, .max - 1, .max]
        var deadlines = edges
        for _ in 0..<300 { deadlines.append(Int64.random(in: 0...Int64.max)) }
        for _ in 0..<300 { deadlines.append(Int64.random(in: 0...1_000_000)) }
        deadlines.sort()
        for leeway in leeways {
            var last = LoopInstant.distantPast
            for deadline in deadlines {
                let instant = LoopInstant(nanoseconds: deadline)
                let picked = instant.coalesced(leeway: .nanoseconds(leeway))
                let (latest, overflow) = deadline.addingReportingOverflow(max(0, leeway))
                #expect(picked >= instant)
                #expect(picked.nanoseconds <= (overflow ? .max : latest))
                #expect(picked >= last)
                #expect((picked == .distantFuture) == (instant == .distantFuture))
                last = picked
            }
        }
    }

    @Test("Timers with leeway meet on one instant")
    func meeting() {
        let picked = Set((0..<1000).map { LoopInstant(nanoseconds: 1 << 40 | $0).coalesced(leeway: .milliseconds(1)) })
        #expect(picked.count <= 2)
    }
}
