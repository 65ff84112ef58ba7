// SPDX-License-Identifier: MIT
import ConformanceLoops
import ReactiveCore
import ReactiveSupport
import SchedulerConformance
import Testing

@testable import SchedulerEngine

@Suite struct TimerQueueTests {
    private func core() throws -> LoopCore {
        try LoopCore(name: "timers", thread: .caller, clock: VirtualClock(), poller: BoxedPoller(VirtualPoller.self))
    }

    private func entry(_ core: LoopCore, _ deadline: Int64, leeway: Duration = .zero) -> TimerEntry {
        TimerEntry.make(
            core,
            at: LoopInstant(nanoseconds: deadline),
            repeating: nil,
            options: TimerOptions(leeway: leeway)
        ) {}
    }

    /// The attributes of a timer by which a sorted list orders it.
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
        "T6, T7: random timers are popped by deadline, then insertion, like from a sorted list",
        arguments: [[0], [8], [0, 1, 3, 64]]
    )
    func random(leeways: [Int64]) throws {
        let core = try core()
        defer { core.dispose() }
        var generator = SplitMix64(seed: 1)
        for round in 0..<20 {
            let timers = TimerQueue()
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
                    timers.insert(new, sequence: sequence)
                    reference.append(Listed(new, sequence))
                    sequence += 1
                } else if roll < 8, !reference.isEmpty {
                    let victim = reference.remove(at: Int.random(in: reference.indices, using: &generator))
                    let removed = [timers.remove(victim.entry), timers.remove(victim.entry)]
                    #expect(removed == [true, false])
                } else {
                    let now = Int64.random(in: -range...range, using: &generator)
                    let first = reference.min(by: Listed.areInOrder)
                    let popped = timers.popFirst(dueAt: LoopInstant(nanoseconds: now))
                    if let first, first.effective <= now {
                        #expect(popped?.entry === first.entry && popped?.sequence == first.sequence)
                        reference.removeAll { $0.entry === first.entry }
                    } else {
                        #expect(popped == nil)
                    }
                }
                #expect(timers.count == reference.count)
            }
            for expected in reference.sorted(by: Listed.areInOrder) {
                #expect(timers.nextDeadline?.nanoseconds == expected.effective)
                let popped = timers.popFirst(dueAt: .distantFuture)
                #expect(popped?.entry === expected.entry)
            }
            #expect(timers.isEmpty && timers.nextDeadline == nil)
        }
    }

    /// The patterns in which programs set deadlines: in order, in order beside one far away, in two orders,
    /// backwards.
    enum Coming: CaseIterable {
        case inOrder, beyondAnHour, behindFarOnes, inTwoOrders, backwards

        func deadline(_ number: Int64) -> Int64 {
            switch self {
            case .inOrder: number / 3
            case .beyondAnHour: number % 50 == 0 ? 1_000_000 + number : number
            case .behindFarOnes: number < 5 ? (number.isMultiple(of: 2) ? 2_000_000 : 1_000_000) + number : number
            case .inTwoOrders: number.isMultiple(of: 2) ? number : 10_000 + number
            case .backwards: 100_000 - number
            }
        }
    }

    @Test(
        "T6, T7: timers in a pattern, with removals and re-arming, are popped like from a sorted list",
        arguments: Coming.allCases,
        [0, 7, 60]
    )
    func ordered(coming: Coming, cancelledOf100: Int) throws {
        let core = try core()
        defer { core.dispose() }
        var generator = SplitMix64(seed: 1)
        let timers = TimerQueue()
        var reference: [Listed] = []
        var sequence: UInt64 = 0
        func insert(_ entry: TimerEntry) {
            timers.insert(entry, sequence: sequence)
            let new = Listed(entry, sequence)
            let place = reference.firstIndex { Listed.areInOrder(new, $0) } ?? reference.endIndex
            reference.insert(new, at: place)
            sequence += 1
        }
        for number in 0..<Int64(2500) {
            insert(entry(core, coming.deadline(number)))
            if Int.random(in: 0..<100, using: &generator) < cancelledOf100 {
                let victim = reference.remove(at: Int.random(in: reference.indices, using: &generator))
                #expect(timers.remove(victim.entry))
            }
            // Beyond 700 timers, as many are removed as added. One in three is re-armed, like a repeating timer.
            if number > 700, let first = reference.first {
                #expect(timers.nextDeadline?.nanoseconds == first.effective)
                let popped = timers.popFirst(dueAt: LoopInstant(nanoseconds: first.effective))
                #expect(popped?.entry === first.entry && popped?.sequence == first.sequence)
                reference.removeFirst()
                if number.isMultiple(of: 3) {
                    first.entry.deadline = LoopInstant(nanoseconds: first.effective + 400)
                    insert(first.entry)
                }
            }
            #expect(timers.count == reference.count)
        }
        for expected in reference {
            let popped = timers.popFirst(dueAt: .distantFuture)
            #expect(popped?.entry === expected.entry)
        }
        #expect(timers.isEmpty)
    }

    @Test("A timer in the distant future is not waited for, and can be removed")
    func never() throws {
        let core = try core()
        defer { core.dispose() }
        let timers = TimerQueue()
        let never = entry(core, .max)
        timers.insert(never, sequence: 0)
        let popped = timers.popFirst(dueAt: .distantFuture)
        #expect(timers.nextDeadline == nil && popped == nil)
        let soon = entry(core, 1)
        timers.insert(soon, sequence: 1)
        #expect(timers.nextDeadline?.nanoseconds == 1)
        let removed = timers.remove(never)
        #expect(removed && timers.count == 1)
        let rest = timers.removeAll()
        #expect(rest.first === soon && !soon.isQueued)
    }

    @Test("T21: cancelled timers are released after at most twice as many cancellations")
    func cancelled() throws {
        struct Weak { weak var entry: TimerEntry? }
        let core = try core()
        defer { core.dispose() }
        let timers = TimerQueue()
        var random = SplitMix64(seed: 21)
        var sequence: UInt64 = 0
        var seen: [Weak] = []
        for round in 0..<20 {
            var entries = (0..<1000).map { _ in entry(core, .random(in: 0..<100, using: &random)) }
            for entry in entries {
                timers.insert(entry, sequence: sequence)
                sequence += 1
            }
            seen += entries.map { Weak(entry: $0) }
            // Removes all but one, in random order.
            entries.shuffle(using: &random)
            for entry in entries.dropFirst() { timers.remove(entry) }
            entries = []
            let left = seen.count { $0.entry != nil }
            #expect(timers.count == round + 1)
            #expect(left < 64 + 2 * timers.count, "\(left) entries for \(timers.count) timers")
        }
        var deadlines: [Int64] = []
        while let (entry, _) = timers.popFirst(dueAt: .distantFuture) { deadlines.append(entry.deadline.nanoseconds) }
        #expect(deadlines.count == 20 && deadlines == deadlines.sorted() && timers.isEmpty)
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
        var random = SplitMix64(seed: 19)
        for _ in 0..<300 { deadlines.append(Int64.random(in: 0...Int64.max, using: &random)) }
        for _ in 0..<300 { deadlines.append(Int64.random(in: 0...1_000_000, using: &random)) }
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

    @Test("Timers with overlapping leeway fire at one instant")
    func meeting() {
        let picked = Set((0..<1000).map { LoopInstant(nanoseconds: 1 << 40 | $0).coalesced(slack: 1_000_000) })
        #expect(picked.count <= 2)
    }
}
