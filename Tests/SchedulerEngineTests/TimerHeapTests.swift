import ConformanceLoops
import ReactiveCore
import Testing

@testable import SchedulerEngine

@Suite struct TimerHeapTests {
    private func core() throws -> LoopCore {
        try LoopCore(name: "heap", thread: .caller, clock: VirtualClock(), poller: BoxedPoller(VirtualPoller.self))
    }

    private func entry(_ core: LoopCore, _ deadline: Int64, leeway: Duration = .zero) -> TimerEntry {
        TimerEntry.make(
            core,
            at: LoopInstant(nanoseconds: deadline),
            repeating: nil,
            options: TimerOptions(leeway: leeway)
        ) {}
    }

    /// What the heap is to say of a timer, by which a sorted list has it in its place.
    private struct Listed {
        let entry: TimerEntry
        let sequence: UInt64
        let effective: Int64

        init(_ entry: TimerEntry, _ sequence: UInt64) {
            self.entry = entry
            self.sequence = sequence
            effective = entry.deadline.coalesced(slack: entry.slack).nanoseconds
        }

        static func areInOrder(_ one: Listed, _ other: Listed) -> Bool {
            (one.effective, one.entry.deadline.nanoseconds, one.sequence)
                < (other.effective, other.entry.deadline.nanoseconds, other.sequence)
        }
    }

    @Test(
        "T6, T7: random timers come out by deadline, then insertion, as a sorted list has them",
        arguments: [[0], [8], [0, 1, 3, 64]]
    )
    func random(leeways: [Int64]) throws {
        let core = try core()
        defer { core.dispose() }
        var generator = SystemRandomNumberGenerator()
        for round in 0..<20 {
            let heap = TimerHeap()
            var reference: [Listed] = []
            let range = Int64(round.isMultiple(of: 2) ? 5 : 1_000_000)
            let edges: [Int64] = round % 4 == 3 ? [.min, .min + 1, -1, 0, 1, .max - 1] : []
            var sequence: UInt64 = 0
            for _ in 0..<2000 {
                let roll = Int.random(in: 0..<10, using: &generator)
                if roll < 6 {
                    let deadline =
                        edges.randomElement(using: &generator) ?? Int64.random(in: -range...range, using: &generator)
                    let new = entry(core, deadline, leeway: .nanoseconds(leeways.randomElement(using: &generator)!))
                    heap.insert(new, sequence: sequence)
                    reference.append(Listed(new, sequence))
                    sequence += 1
                } else if roll < 8, !reference.isEmpty {
                    let victim = reference.remove(at: Int.random(in: reference.indices, using: &generator))
                    let removed = [heap.remove(victim.entry), heap.remove(victim.entry)]
                    #expect(removed == [true, false])
                } else {
                    let now = Int64.random(in: -range...range, using: &generator)
                    let first = reference.min(by: Listed.areInOrder)
                    let popped = heap.popFirst(dueAt: LoopInstant(nanoseconds: now))
                    if let first, first.effective <= now {
                        #expect(popped?.entry === first.entry && popped?.sequence == first.sequence)
                        reference.removeAll { $0.entry === first.entry }
                    } else {
                        #expect(popped == nil)
                    }
                }
                #expect(heap.count == reference.count)
            }
            for expected in reference.sorted(by: Listed.areInOrder) {
                #expect(heap.nextDeadline?.nanoseconds == expected.effective)
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
        let heap = TimerHeap()
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
        #expect(rest.first === soon && !soon.isInHeap)
    }

    @Test("T21: what is cancelled is given back, by twice as many cancellations at the latest")
    func cancelled() throws {
        struct Weak { weak var entry: TimerEntry? }
        let core = try core()
        defer { core.dispose() }
        let heap = TimerHeap()
        var sequence: UInt64 = 0
        var seen: [Weak] = []
        for round in 0..<20 {
            var entries = (0..<1000).map { _ in entry(core, .random(in: 0..<100)) }
            for entry in entries {
                heap.insert(entry, sequence: sequence)
                sequence += 1
            }
            seen += entries.map { Weak(entry: $0) }
            // All but one, in any order.
            entries.shuffle()
            for entry in entries.dropFirst() { heap.remove(entry) }
            entries = []
            let left = seen.count { $0.entry != nil }
            #expect(heap.count == round + 1)
            #expect(left < 64 + 2 * heap.count, "\(left) entries for \(heap.count) timers")
        }
        var deadlines: [Int64] = []
        while let (entry, _) = heap.popFirst(dueAt: .distantFuture) { deadlines.append(entry.deadline.nanoseconds) }
        #expect(deadlines.count == 20 && deadlines == deadlines.sorted() && heap.isEmpty)
        #expect(seen.allSatisfy { $0.entry == nil })
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
                let picked = instant.coalesced(slack: leeway)
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
        let picked = Set((0..<1000).map { LoopInstant(nanoseconds: 1 << 40 | $0).coalesced(slack: 1_000_000) })
        #expect(picked.count <= 2)
    }
}
