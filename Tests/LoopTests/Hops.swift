import Glibc
import LoopTestSupport
import ReactiveCore
import SchedulerEngine
import Testing

extension Loops {
    @Suite struct Hops {
        @Test("X1: work from another thread wakes a loop that waits for nothing", arguments: LoopKind.all)
        func wakes(_ kind: LoopKind) throws {
            let loop = try kind.make(thread: .owned)
            for _ in 0..<100 {
                try loop.sync { if !loop.isCurrent { Issue.record("elsewhere") } }
                usleep(200)
            }
            loop.dispose()
        }

        @Test("X2: no wake-up is lost: eight producers, 100 000 hops each", arguments: LoopKind.all)
        func producers(_ kind: LoopKind) throws {
            let loop = try kind.make(thread: .owned)
            let hops = scaled(100_000)
            let counts = Counts(8)
            let done = Latch(8)
            let threads = (0..<8).map { producer in
                TestThread {
                    for number in 0..<hops {
                        loop.execute {
                            counts.expect(number, from: producer)
                            if number == hops - 1 { done.arrive() }
                        }
                        // Now and then the loop is to find nothing and park.
                        if number & 0x3fff == 0 { usleep(300) }
                    }
                }
            }
            for thread in threads { try thread.join() }
            try done.wait("the hops")
            loop.dispose()
            #expect(counts.next == Array(repeating: hops, count: 8))
        }

        @Test(
            "X3: the thread-safe calls from the loop's own callbacks are seen in the next turn",
            arguments: LoopKind.all
        )
        func fromCallbacks(_ kind: LoopKind) throws {
            let loop = try kind.make(thread: .owned)
            let pair = SocketPair()
            let done = Latch(2)
            loop.schedule(after: .milliseconds(1)) { loop.execute { done.arrive() } }
            let watch = Box<(any DescriptorWatch)?>(nil)
            try loop.sync {
                do {
                    watch.value = try loop.watch(pair.near, for: .read) { _ in
                        if take(from: pair.near) > 0 { loop.execute { done.arrive() } }
                    }
                } catch { Issue.record(error) }
            }
            put("x", to: pair.far)
            try done.wait()
            loop.dispose()
        }

        @Test("X5: what was written before the hop is seen after it, both ways", arguments: LoopKind.all)
        func happensBefore(_ kind: LoopKind) throws {
            let loop = try kind.make(thread: .owned)
            let plain = Plain()
            for round in 0..<500 {
                plain.value = round
                try loop.sync {
                    if plain.value != round { Issue.record("stale") }
                    plain.value = -round
                }
                #expect(plain.value == -round)
            }
            loop.dispose()
        }

        @Test("X6: one queue for execute and schedule, from the loop and from elsewhere", arguments: LoopKind.all)
        func oneQueue(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let trace = Recorder<Int>()
            let given = Latch()
            loop.execute {
                loop.execute { trace.append(0) }
                let other = TestThread {
                    loop.execute { trace.append(1) }
                    _ = loop.schedule { trace.append(2) }
                    given.arrive()
                }
                do { try other.join() } catch { Issue.record(error) }
                _ = loop.schedule { trace.append(3) }
                loop.execute { trace.append(4) }
            }
            try loop.runUntilIdle()
            #expect(trace.values == [0, 1, 2, 3, 4])
        }

        @Test("X7: work that races with disposal runs or is let go of", arguments: LoopKind.all)
        func racesWithDisposal(_ kind: LoopKind) throws {
            for round in 0..<40 {
                let loop = try kind.make(thread: .owned)
                let gone = Box(0)
                let isBusy = Latch()
                let producer = TestThread {
                    for number in 0..<200 {
                        let canary = Canary { gone.increment() }
                        switch number % 3 {
                        case 0: loop.execute { canary.sing() }
                        case 1: _ = loop.schedule { canary.sing() }
                        default: loop.schedule(after: .microseconds(50)) { canary.sing() }
                        }
                        if number == 20 { isBusy.arrive() }
                    }
                }
                try isBusy.wait()
                loop.spin(.microseconds(round * 3))
                loop.dispose()
                try producer.join()
                #expect(gone.value == 200)
            }
        }

        @Test("X8: work given after disposal is dropped, its handle is disposed", arguments: LoopKind.all)
        func afterDisposal(_ kind: LoopKind) throws {
            for thread in [LoopThread.owned, .caller] {
                let loop = try kind.make(thread: thread)
                loop.dispose()
                let gone = Box(0)
                func work() -> @Sendable () -> Void {
                    let canary = Canary { gone.increment() }
                    return {
                        canary.sing()
                        Issue.record("ran")
                    }
                }
                loop.execute(work())
                #expect(loop.schedule(work()).isDisposed)
                #expect(loop.schedule(after: .zero, work()).isDisposed)
                #expect(loop.schedule(every: .milliseconds(1), work()).isDisposed)
                #expect(gone.value == 4)
                #expect(loop.isDisposed)
            }
        }

        @Test("X9: a storm of wake-ups is as good as one", arguments: LoopKind.all)
        func storm(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let ran = Box(0)
            let threads = (0..<4).map { _ in
                TestThread {
                    for _ in 0..<5000 {
                        loop.execute { ran.increment() }
                        loop.stop()
                    }
                }
            }
            for thread in threads { try thread.join() }
            // Sticky, and no more than once: a turn, and then all the rest.
            try loop.run()
            #expect(ran.value == 4096)
            try loop.runUntilIdle()
            #expect(ran.value == 20_000)
        }
    }
}

/// Not protected at all: the hop has to do it.
private final class Plain: @unchecked Sendable {
    var value = 0
}

/// Each producer's next number; the loop's own, until it is over.
private final class Counts: @unchecked Sendable {
    private(set) var next: [Int]

    init(_ producers: Int) { next = Array(repeating: 0, count: producers) }

    func expect(_ number: Int, from producer: Int) {
        if next[producer] != number { Issue.record("\(number) where \(next[producer]) was due") }
        next[producer] += 1
    }
}
