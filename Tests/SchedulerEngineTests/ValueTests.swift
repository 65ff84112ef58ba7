// SPDX-License-Identifier: MIT
import ConformanceLoops
import ReactiveCore
import ReactiveSupport
import SchedulerConformance
import Testing

@testable import SchedulerEngine

/// `#expect` evaluates its operands separately, and cannot call mutating functions.
private func check(_ condition: Bool, location: SourceLocation = #_sourceLocation) {
    #expect(condition, sourceLocation: location)
}

@Suite struct RepetitionTests {
    private func next(_ repetition: Repetition, _ deadline: Int64, _ now: Int64) -> Int64 {
        repetition.next(after: LoopInstant(nanoseconds: deadline), now: LoopInstant(nanoseconds: now)).nanoseconds
    }

    @Test("T13: a fixed rate stays on its grid, and missed firings become one that is due at once")
    func rate() {
        let rate = Repetition.fixedRate(.nanoseconds(10))
        #expect(next(rate, 100, 100) == 110)
        #expect(next(rate, 100, 109) == 110)
        #expect(next(rate, 100, 110) == 110)
        #expect(next(rate, 100, 119) == 110)
        #expect(next(rate, 100, 120) == 120)
        #expect(next(rate, 100, 157) == 150)
        #expect(next(rate, 100, 90) == 110)
        var random = SplitMix64(seed: 14)
        for _ in 0..<1000 {
            let deadline = Int64.random(in: -1_000_000...1_000_000, using: &random)
            let now = Int64.random(in: -1_000_000...1_000_000, using: &random)
            let following = next(rate, deadline, now)
            #expect((following - deadline).isMultiple(of: 10) && following > deadline)
            #expect(following > now - 10)
        }
    }

    @Test("T14: a fixed delay counts from the end of the work")
    func delay() {
        #expect(next(.fixedDelay(.nanoseconds(10)), 100, 157) == 167)
        #expect(next(.fixedDelay(.zero), 100, 157) == 157)
        #expect(next(.fixedDelay(.seconds(-1)), 100, 157) == 157)
    }

    @Test("T17: the arithmetic does not overflow for extreme instants and intervals")
    func extremes() {
        let instants: [Int64] = [.min, .min + 1, -1, 0, 1, .max - 1, .max]
        let steps: [Int64] = [.min, -1, 0, 1, 2, 1_000_000_000, 1 << 62, .max - 1, .max]
        for deadline in instants {
            for now in instants {
                for step in steps {
                    let following = next(.fixedRate(.nanoseconds(step)), deadline, now)
                    if step > 0 { #expect(following > deadline || deadline == .max) }
                    _ = next(.fixedDelay(.nanoseconds(step)), deadline, now)
                }
            }
        }
        #expect(next(.fixedRate(.seconds(1)), .min, 0) > -1_000_000_000)
    }
}

@Suite struct InstantTests {
    @Test("T17: instants and durations saturate")
    func saturation() {
        #expect(LoopInstant.distantFuture + .nanoseconds(1) == .distantFuture)
        #expect(LoopInstant.distantPast + .nanoseconds(-1) == .distantPast)
        #expect(LoopInstant(nanoseconds: 5) + .seconds(Int64.max) == .distantFuture)
        #expect(LoopInstant(nanoseconds: -5) + .seconds(Int64.min) == .distantPast)
        #expect(LoopInstant.distantPast + .seconds(Int64.max) == LoopInstant(nanoseconds: -1))
        #expect(LoopInstant.distantFuture - .distantPast == .nanoseconds(Int64.max))
        #expect(LoopInstant.distantPast - .distantFuture == .nanoseconds(Int64.min))
        #expect(LoopInstant(nanoseconds: 7) - LoopInstant(nanoseconds: 3) == .nanoseconds(4))
    }

    @Test("T1: a fraction of a nanosecond is rounded up")
    func rounding() {
        func rounded(_ attoseconds: Int64) -> Int64 {
            Duration(secondsComponent: 0, attosecondsComponent: attoseconds).saturatedNanoseconds
        }
        #expect(rounded(1) == 1 && rounded(1_000_000_000) == 1 && rounded(1_000_000_001) == 2)
        #expect(rounded(-1) == 0 && rounded(-1_000_000_000) == -1 && rounded(-1_999_999_999) == -1)
        // Beyond the range of one word of attoseconds, and around its edges.
        let part = Duration(secondsComponent: 0, attosecondsComponent: 1)
        #expect((.seconds(10) + part).saturatedNanoseconds == 10_000_000_001)
        #expect((.seconds(-10) - part).saturatedNanoseconds == -10_000_000_000)
        for edge in [Int64.max, .min] {
            let word = Duration(secondsComponent: 0, attosecondsComponent: edge)
            for near in [word - part, word, word + part] {
                #expect(near.saturatedNanoseconds == (edge > 0 ? 9_223_372_037 : -9_223_372_036))
            }
        }
        #expect(Duration.seconds(Int64.max).saturatedNanoseconds == .max)
        #expect(Duration.seconds(Int64.min).saturatedNanoseconds == .min)
        #expect(Duration.nanoseconds(Int64.max).saturatedNanoseconds == .max)
        #expect(Duration.nanoseconds(Int64.min).saturatedNanoseconds == .min)
    }
}

@Suite struct InboxTests {
    @Test("X6: posted work is taken once and in order, and a closed inbox accepts none")
    func order() {
        var inbox = Inbox()
        let work = WorkQueue()
        var changes: [Inbox.TimerChange] = []
        #expect(inbox.isEmpty)
        for _ in 0..<3 {
            for _ in 0..<5 { check(inbox.post(.closure {})) }
            #expect(!inbox.isEmpty)
            inbox.move(to: work, timerChanges: &changes)
            #expect(work.count == 5 && changes.isEmpty && inbox.isEmpty)
            #expect(work.removeAll().count == 5)
        }
        check(inbox.post(.closure {}))
        let left = inbox.close()
        #expect(left.work.count == 1 && left.timerChanges.isEmpty)
        check(!inbox.post(.closure {}) && inbox.isEmpty && inbox.close().work.isEmpty)
    }
}

@Suite struct LifecycleTests {
    @Test("In each phase, each access is granted or refused as documented")
    func access() {
        var idle = Lifecycle(isOwned: false)
        check(idle.borrow(on: 1) == .granted)
        check(idle.borrow(on: 1) == .alreadyHeld && idle.borrow(on: 2) == .tryAgain)
        check(idle.beginRun(on: 1) == .refused(.alreadyRunning) && idle.beginRun(on: 2) == .tryAgain)
        check(!idle.end() && idle.phase == .idle)
        check(idle.beginRun(on: 1) == .granted)
        check(idle.borrow(on: 1) == .alreadyHeld && idle.borrow(on: 2) == .refused(.wrongThread))
        check(idle.beginRun(on: 1) == .refused(.alreadyRunning) && idle.beginRun(on: 2) == .refused(.alreadyRunning))
        check(!idle.end())

        var owned = Lifecycle(isOwned: true)
        check(owned.phase == .starting && owned.borrow(on: 2) == .refused(.wrongThread))
        check(owned.beginRun(on: 1) == .granted && owned.phase == .running(thread: 1))
    }

    @Test("D3, D4, D5: the caller, the running thread or a later turn disposes the loop")
    func disposal() {
        var idle = Lifecycle(isOwned: false)
        check(idle.requestDisposal(on: 1) == .now && idle.phase == .borrowed(thread: 1))
        check(idle.requestDisposal(on: 2) == .alreadyRequested)
        idle.finishDisposal()
        check(idle.requestDisposal(on: 1) == .alreadyRequested)
        check(idle.beginRun(on: 1) == .refused(.disposed) && idle.borrow(on: 1) == .refused(.disposed))

        // A guest is disposed off its host's thread.
        var guest = Lifecycle(isOwned: false)
        check(guest.requestDisposal(on: 2, isHere: false) == .later && guest.beginRun(on: 1) == .granted && guest.end())

        var running = Lifecycle(isOwned: false)
        check(running.beginRun(on: 1) == .granted)
        check(running.requestDisposal(on: 2) == .later && running.isDisposeRequested)
        check(running.end())

        var borrowed = Lifecycle(isOwned: false)
        check(borrowed.borrow(on: 1) == .granted)
        check(borrowed.requestDisposal(on: 1) == .later && borrowed.end())

        var starting = Lifecycle(isOwned: true)
        check(starting.requestDisposal(on: 2) == .later)
        check(starting.beginRun(on: 1) == .granted && starting.end())
    }
}

@Suite struct DescriptorTableTests {
    /// The loop that owns the watches.
    private func makeCore() throws -> LoopCore {
        try LoopCore(
            name: "table",
            thread: .caller,
            clock: VirtualClock(),
            poller: BoxedPoller(VirtualPoller.self)
        )
    }

    @Test("D6: a reused descriptor number gets another generation")
    func generations() throws {
        let core = try makeCore()
        defer { core.dispose() }
        func watch(_ descriptor: Int32, _ interest: Readiness) -> WatchEntry {
            WatchEntry(core, descriptor, interest, turn: 0, .closure { _ in })
        }
        let table = DescriptorTable()
        func only(_ token: UInt64) -> WatchEntry? {
            table.onlyWatch(of: token)?.takeUnretainedValue()
        }
        let first = watch(7, .read)
        let second = watch(7, .write)
        check(!table.remove(first))
        table.add(first)
        table.setRegistered(.read, 7)
        let token = table.token(7)
        #expect(only(token) === first)
        table.add(second)
        #expect(table.wanted(7) == [.read, .write])
        #expect(only(token) == nil && table.watches(of: token).count == 2)
        let third = watch(7, .read)
        table.add(third)
        #expect(table.watches(7).map(ObjectIdentifier.init) == [first, second, third].map(ObjectIdentifier.init))
        check(table.remove(second) && !table.remove(second) && table.remove(first) && !table.remove(first))
        #expect(only(token) === third && table.wanted(7) == .read && table.watchCount == 1)
        check(table.remove(third) && !table.isWatched(7) && table.isEmpty)
        table.setRegistered(nil, 7)
        table.add(first)
        table.setRegistered(.read, 7)
        #expect(only(token) == nil && table.watches(of: token).isEmpty)
        let fresh = table.token(7)
        #expect(fresh != token && only(fresh) === first)
        for special in [LoopCore.Token.wake, LoopCore.Token.mainQueue] {
            #expect(only(special) == nil && table.watches(of: special).isEmpty)
        }
        #expect(table.watches(100_000).isEmpty)
        table.add(second)
        let all = table.removeAll()
        #expect(
            all.registered == [7]
                && all.watches.map(ObjectIdentifier.init) == [first, second].map(ObjectIdentifier.init)
        )
        #expect(!table.isWatched(7) && table.watchCount == 0)
    }

    @Test("A number far above the others is found, and the numbers between have no watch")
    func farNumbers() throws {
        let core = try makeCore()
        defer { core.dispose() }
        let table = DescriptorTable()
        let numbers: [Int32] = [0, 63, 64, 1_000_000, 1_000_063, 4096]
        let watches = numbers.map { number in WatchEntry(core, number, .read, turn: 0, .closure { _ in }) }
        for watch in watches {
            table.add(watch)
            table.setRegistered(.read, watch.descriptor)
        }
        for watch in watches {
            #expect(table.onlyWatch(of: table.token(watch.descriptor))?.takeUnretainedValue() === watch)
        }
        for number: Int32 in [1, 65, 999_999, 1_000_064, 2_000_000, .max] {
            #expect(table.watches(number).isEmpty && table.registered(number) == nil && !table.isWatched(number))
        }
        #expect(table.watchCount == 6)
        let all = table.removeAll()
        #expect(all.registered == numbers.sorted() && all.watches.count == 6 && table.isEmpty)
        table.add(watches[3])
        #expect(table.watches(1_000_000).count == 1 && table.watches(0).isEmpty)
    }

    @Test("A disposed watch has no interest, and does not count as watching")
    func disposedWatches() throws {
        let core = try makeCore()
        defer { core.dispose() }
        let table = DescriptorTable()
        let watches = [Readiness.read, .write].map { interest in
            WatchEntry(core, 3, interest, turn: 0, .closure { _ in })
        }
        for watch in watches { table.add(watch) }
        #expect(table.wanted(3) == [.read, .write] && table.isWatched(3))
        watches[0].end()
        #expect(table.wanted(3) == .write && table.isWatched(3))
        watches[1].end()
        #expect(table.wanted(3) == [] && !table.isWatched(3) && table.watchCount == 2)
    }

    @Test("A watch is released with the table's last reference to it")
    func references() throws {
        let core = try makeCore()
        defer { core.dispose() }
        weak var last: WatchEntry?
        func add(to table: DescriptorTable) -> WatchEntry {
            let watch = WatchEntry(core, 3, .read, turn: 0, .closure { _ in })
            last = watch
            table.add(watch)
            return watch
        }
        var table = DescriptorTable()
        _ = add(to: table)
        #expect(last != nil)
        check(table.remove(try #require(last)))
        #expect(last == nil)
        _ = add(to: table)
        table = DescriptorTable()
        #expect(last == nil)
        _ = add(to: table)
        _ = add(to: table)
        #expect(last != nil)
        _ = table.removeAll()
        #expect(last == nil)
    }
}
