import Glibc
import LoopTestSupport
import ReactiveCore
import SchedulerEngine
import Testing

extension Loops {
    @Suite struct Disposal {
        @Test(
            "D1: a watch may be disposed from inside, from another one of its batch, and twice",
            arguments: LoopKind.all
        )
        func fromInside(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let pair = SocketPair()
            let watches = Box<[any DescriptorWatch]>([])
            let calls = Box(0)
            for descriptor in [pair.near, pair.far, pair.near, pair.far] {
                let watch = try loop.watch(descriptor, for: .write) { _ in
                    calls.increment()
                    for watch in watches.value {
                        watch.dispose()
                        watch.dispose()
                    }
                }
                watches.update { watches in watches.append(watch) }
            }
            try loop.turns(3)
            #expect(calls.value == 1)
            #expect(watches.value.allSatisfy { watch in watch.isDisposed })
            try watches.value[0].setInterest(.read)
            try loop.runUntilIdle()
        }

        @Test("D2: disposed by another thread, a watch is over within a turn", arguments: LoopKind.all)
        func fromElsewhere(_ kind: LoopKind) throws {
            let loop = try kind.make(thread: .owned)
            let gone = Box(0)
            for _ in 0..<200 {
                let pair = SocketPair()
                let calls = Box(0)
                let made = Box<(any DescriptorWatch)?>(nil)
                try loop.sync {
                    let canary = Canary { gone.increment() }
                    do {
                        made.value = try loop.watch(pair.near, for: .write) { _ in
                            canary.sing()
                            calls.increment()
                        }
                    } catch { Issue.record(error) }
                }
                made.value?.dispose()
                try loop.sync()
                let count = calls.value
                try loop.sync()
                #expect(calls.value == count)
            }
            #expect(gone.value == 200)
            loop.dispose()
        }

        @Test("D3: disposing a loop lets go of everything it holds", arguments: LoopKind.all)
        func everything(_ kind: LoopKind) throws {
            for thread in [LoopThread.caller, .owned] {
                let loop = try kind.make(thread: thread)
                let pair = SocketPair()
                let gone = Box(0)
                let handles = Recorder<any Disposable>()
                @Sendable func closure() -> @Sendable () -> Void {
                    let canary = Canary { gone.increment() }
                    return {
                        canary.sing()
                        Issue.record("called")
                    }
                }
                @Sendable func fill() {
                    do {
                        let ready = closure()
                        handles.append(try loop.watch(pair.near, for: .read) { _ in ready() })
                        handles.append(try loop.onSignal(.windowChange, closure()))
                    } catch { Issue.record(error) }
                    handles.append(loop.schedule(after: .seconds(60), closure()))
                    handles.append(loop.schedule(every: .seconds(60), closure()))
                    if thread == .caller {
                        loop.execute(closure())
                        handles.append(loop.schedule(closure()))
                    }
                }
                if thread == .owned { try loop.sync { fill() } } else { fill() }
                loop.dispose()
                #expect(gone.value == (thread == .owned ? 4 : 6))
                #expect(handles.values.allSatisfy { handle in handle.isDisposed })
                for handle in handles.values { handle.dispose() }
                #expect(loop.nativeHandle(of: kind) == nil)
            }
        }

        @Test("D3: what is let go of may use the loop that goes", arguments: LoopKind.all)
        func reentrantRelease(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let pair = SocketPair()
            let watch = Box<(any DescriptorWatch)?>(nil)
            let touched = Box(0)
            @Sendable func canary() -> Canary {
                Canary {
                    touched.increment()
                    loop.execute {}
                    loop.stop()
                    loop.schedule(after: .zero) {}
                    watch.value?.keepsLoopAlive = false
                    watch.value?.dispose()
                    _ = try? loop.watch(pair.far, for: .read) { _ in }
                    loop.dispose()
                }
            }
            let first = canary()
            let second = canary()
            let third = canary()
            watch.value = try loop.watch(pair.near, for: .read) { [first] _ in first.sing() }
            loop.schedule(after: .seconds(60)) { [second] in second.sing() }
            loop.execute { [third] in third.sing() }
            _ = consume first
            _ = consume second
            _ = consume third
            loop.dispose()
            #expect(touched.value == 3)
            #expect(loop.isDisposed)
        }

        @Test("D4: a running loop that is disposed ends after the callback", arguments: LoopKind.all)
        func whileRunning(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let trace = Recorder<String>()
            loop.execute {
                loop.dispose()
                trace.append("first")
            }
            loop.execute { trace.append("second") }
            try loop.run()
            #expect(trace.values == ["first"] && loop.isDisposed)

            let owned = try kind.make(thread: .owned)
            let over = Latch()
            owned.execute {
                owned.dispose()
                over.arrive()
            }
            try over.wait()
            // Waits for the thread, although the loop's own work was first.
            owned.dispose()
            #expect(failure { try owned.run() } == .disposed)

            let other = try kind.make()
            let isRunning = Latch()
            other.execute { isRunning.arrive() }
            let thread = TestThread {
                try isRunning.wait()
                other.dispose()
            }
            try other.run()
            try thread.join()
        }

        @Test("D5: a loop that is over refuses everything, and can be disposed again", arguments: LoopKind.all)
        func refuses(_ kind: LoopKind) throws {
            for thread in [LoopThread.caller, .owned] {
                let loop = try kind.make(thread: thread)
                loop.dispose()
                loop.dispose()
                let calls: [() throws -> Void] = [
                    { try loop.run() }, { try loop.runUntilIdle() }, { try loop.runOnce(waiting: true) },
                    { _ = try loop.watch(0, for: .read) { _ in } }, { _ = try loop.onSignal(.user1) {} },
                ]
                for call in calls { #expect(failure(call) == .disposed) }
                loop.stop()
            }
        }

        @Test("D5: disposed at once, by several threads, a loop that owns a thread just ends", arguments: LoopKind.all)
        func atOnce(_ kind: LoopKind) throws {
            for _ in 0..<50 {
                let loop = try kind.make(thread: .owned)
                let ran = Box(0)
                loop.execute { ran.increment() }
                let threads = (0..<3).map { _ in TestThread { loop.dispose() } }
                for thread in threads { try thread.join() }
                #expect(ran.value <= 1 && loop.isDisposed)
            }
        }

        @Test("D6: a number that is used again in a batch gets no event of the old one", arguments: LoopKind.all)
        func reusedNumber(_ kind: LoopKind) throws {
            for _ in 0..<20 {
                let loop = try kind.make()
                let pairs = [SocketPair(), SocketPair()]
                let fresh = SocketPair()
                let watches = Box<[any DescriptorWatch]>([])
                let wrong = Box(0)
                let called = Box(0)
                for (index, pair) in pairs.enumerated() {
                    put("x", to: pair.far)
                    let watch = try loop.watch(pair.near, for: .read) { _ in
                        // Whichever comes first takes the other one's number for a socket with nothing to read.
                        if called.increment() > 1 { return }
                        let victim = pairs[1 - index].near
                        watches.value[1 - index].dispose()
                        dup2(fresh.near, victim)
                        do {
                            let again = try loop.watch(victim, for: .read) { _ in wrong.increment() }
                            watches.update { watches in watches.append(again) }
                        } catch { Issue.record(error) }
                    }
                    watches.update { watches in watches.append(watch) }
                }
                try loop.turns(1)
                #expect(called.value == 1 && wrong.value == 0)
                try loop.turns(2)
                #expect(wrong.value == 0)
                put("y", to: fresh.far)
                try loop.turns(1)
                #expect(wrong.value == 1)
                for watch in watches.value { watch.dispose() }
            }
        }
    }
}
