import Glibc
import LoopTestSupport
import ReactiveCore
import SchedulerEngine
import Testing

extension Loops {
    @Suite struct Signals {
        @Test("G2: a signal's handler is the loop's work; two arrivals are one call or two", arguments: LoopKind.all)
        func isWork(_ kind: LoopKind) throws {
            let loop = try kind.make(thread: .owned)
            let calls = Box(0)
            let arrived = Latch()
            let handle = Box<(any LoopHandle)?>(nil)
            try loop.sync {
                do {
                    handle.value = try loop.onSignal(.user1) {
                        if !loop.isCurrent { Issue.record("elsewhere") }
                        if calls.increment() == 1 { arrived.arrive() }
                    }
                } catch { Issue.record(error) }
                kill(getpid(), SIGUSR1)
                kill(getpid(), SIGUSR1)
                if calls.value != 0 { Issue.record("inline") }
            }
            try arrived.wait()
            try loop.sync()
            #expect(calls.value == 1 || calls.value == 2)
            handle.value?.dispose()
            loop.dispose()
        }

        @Test(
            "G3: handlers of one signal are independent; with the last the old disposition returns",
            arguments: LoopKind.all
        )
        func independent(_ kind: LoopKind) throws {
            func disposition() -> UInt {
                var action = sigaction()
                sigaction(SIGUSR2, nil, &action)
                return UInt(bitPattern: unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self))
            }
            signal(SIGUSR2, SIG_IGN)
            let before = disposition()
            let loop = try kind.make()
            let trace = Recorder<Int>()
            let first = try loop.onSignal(.user2) { trace.append(1) }
            let second = try loop.onSignal(.user2) { trace.append(2) }
            kill(getpid(), SIGUSR2)
            try loop.turns { trace.count == 2 }
            #expect(trace.values.sorted() == [1, 2])
            first.dispose()
            first.dispose()
            kill(getpid(), SIGUSR2)
            try loop.turns { trace.count == 3 }
            #expect(trace.values.last == 2)
            #expect(disposition() != before)
            second.dispose()
            #expect(disposition() == before)
            kill(getpid(), SIGUSR2)
            try loop.turns(3)
            #expect(trace.count == 3)
            // A loop that goes takes its handlers with it.
            _ = try loop.onSignal(.user2) {}
            #expect(disposition() != before)
            loop.dispose()
            #expect(disposition() == before)
        }

        @Test("G4: two loops on two threads both see a signal", arguments: LoopKind.pairs)
        func twoLoops(_ first: LoopKind, _ second: LoopKind) throws {
            let loops = [try first.make(thread: .owned), try second.make(thread: .owned)]
            let arrived = Latch(2)
            for loop in loops {
                try loop.sync {
                    do {
                        let once = Box(0)
                        _ = try loop.onSignal(.user1) { if once.increment() == 1 { arrived.arrive() } }
                    } catch { Issue.record(error) }
                }
            }
            kill(getpid(), SIGUSR1)
            try arrived.wait()
            for loop in loops { loop.dispose() }
        }

        @Test("G4: a handler disposed by another thread while its loop goes", arguments: LoopKind.all)
        func disposedMeanwhile(_ kind: LoopKind) throws {
            for _ in 0..<100 {
                let loop = try kind.make(thread: .owned)
                let handle = Box<(any LoopHandle)?>(nil)
                try loop.sync {
                    do { handle.value = try loop.onSignal(.user1) {} } catch { Issue.record(error) }
                }
                let thread = TestThread {
                    handle.value?.dispose()
                    kill(getpid(), SIGWINCH)
                }
                loop.dispose()
                try thread.join()
            }
        }

        @Test("G6: a signal that interrupts the wait is not noticed", arguments: LoopKind.all)
        func interrupted(_ kind: LoopKind) throws {
            let listening = try LoopKind.dispatch.make()
            let listener = try listening.onSignal(.user1) {}
            let outcome = Box<Duration?>(nil)
            let interrupted = TestThread {
                // Threads that come from Dispatch's have every signal blocked.
                var all = sigset_t()
                sigfillset(&all)
                pthread_sigmask(SIG_UNBLOCK, &all, nil)
                let loop = try kind.make()
                let target = Target(pthread_self())
                let noise = TestThread {
                    while outcome.value == nil {
                        pthread_kill(target.thread, SIGUSR1)
                        usleep(100)
                    }
                }
                let start = loop.now
                loop.schedule(after: .milliseconds(20)) {}
                try loop.runUntilIdle()
                outcome.value = loop.now - start
                try noise.join()
            }
            try interrupted.join()
            #expect(try #require(outcome.value) >= .milliseconds(20))
            listener.dispose()
        }

        @Test("What is no signal, or cannot be caught, is refused", arguments: LoopKind.all)
        func refused(_ kind: LoopKind) throws {
            let loop = try kind.make()
            for number: Int32 in [-1, 0, 9, 19, 65, 1000, .max] {
                #expect(failure { _ = try loop.onSignal(ProcessSignal(rawValue: number)) {} } == .badSignal)
            }
            try loop.runUntilIdle()
        }
    }
}

/// A thread's name to send signals to.
private struct Target: @unchecked Sendable {
    let thread: pthread_t

    init(_ thread: pthread_t) { self.thread = thread }
}
