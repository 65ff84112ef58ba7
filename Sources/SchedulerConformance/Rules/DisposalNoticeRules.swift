// SPDX-License-Identifier: MIT
import Glibc
import ReactiveCore

/// D8: the closures that a loop calls when it is disposed.
enum DisposalNoticeRules {
    static let all = [d8]

    static let d8 = Rule(
        "D8",
        "`onDispose` calls its closures once and in order, after the last callback, where it takes the loop down; later ones immediately."
    ) { check in
        for isOwned in check.owners {
            try inOrder(check, try check.loop(isOwned: isOwned), isOwned: isOwned)
            try whileDisposing(check, try check.loop(isOwned: isOwned))
        }
        try afterTheLastCallback(check)
        try fromManyThreads(check)
        try withoutReferences(check)
    }

    private static func inOrder(_ check: Check, _ loop: any LoopScheduler, isOwned: Bool) throws {
        let (trace, gone) = (Recorder<Int>(), Box(0))
        let handles = (0..<100).map { number in
            loop.onDispose(Canary.closure(countedBy: gone) { trace.append(number) })
        }
        for number in stride(from: 0, to: 100, by: 3) {
            handles[number].dispose()
            handles[number].dispose()
        }
        check.equal(gone.value, 34, "released closures of disposed registrations")
        check.expect(!handles[1].isDisposed && handles[3].isDisposed, "a registration knows whether it is disposed")
        // A closure may refer weakly to what the loop's other closures retain.
        let (released, early) = (Box(0), Box(-1))
        // With virtual time, a loop's own thread would reach the timer.
        if !isOwned { try hold(check, loop, released) }
        _ = loop.onDispose { early.value = released.value }
        loop.dispose()
        check.equal(early.value, 0, "closures of timers and watches released before the closures of onDispose")
        check.equal(trace.values, (0..<100).filter { $0 % 3 != 0 }, "closures called, in order")
        check.equal(gone.value, 100, "released closures")
        check.expect(handles.allSatisfy { handle in handle.isDisposed }, "every registration is disposed")
        let late = Box(0)
        let handle = loop.onDispose { late.increment() }
        check.equal(late.value, 1, "calls of a closure that is registered after the disposal")
        check.expect(handle.isDisposed, "its registration is disposed")
        handle.dispose()
        loop.dispose()
        check.equal(late.value, 1, "calls after another disposal")
    }

    /// Lets the loop retain the closure of a timer, and of a watch.
    private static func hold(_ check: Check, _ loop: any LoopScheduler, _ released: Box<Int>) throws {
        loop.schedule(after: .seconds(3600), Canary.closure(countedBy: released))
        guard check.has(.descriptors) else { return }
        let called = Canary.closure(countedBy: released)
        _ = try loop.watch(check.pair().near, for: .read) { _ in called() }
    }

    /// Closures may use the loop, register others and dispose each other.
    private static func whileDisposing(_ check: Check, _ loop: any LoopScheduler) throws {
        let trace = Recorder<String>()
        let second = Box<(any Disposable)?>(nil)
        _ = loop.onDispose {
            trace.append("first")
            check.expect(loop.isDisposed, "the loop is disposed when its closures are called")
            second.value?.dispose()
            loop.execute { check.fail(expected: "a disposed loop drops work", seen: "it ran") }
            check.equal(failure { try loop.run() }, .disposed, "the error of a run")
            loop.dispose()
            _ = loop.onDispose { trace.append("joined") }
        }
        second.value = loop.onDispose { trace.append("second") }
        _ = loop.onDispose { trace.append("third") }
        loop.dispose()
        check.equal(trace.values, ["first", "third", "joined"], "closures called")
        second.value = nil
    }

    private static func afterTheLastCallback(_ check: Check) throws {
        let loop = try check.loop()
        let trace = Recorder<String>()
        _ = loop.onDispose { trace.append("disposed") }
        loop.execute {
            loop.dispose()
            trace.append("callback")
        }
        try loop.run()
        check.equal(trace.values, ["callback", "disposed"], "calls")

        guard check.has(.ownThread) else { return }
        let owned = try check.ownedLoop()
        let seen = Box(pthread_t(0))
        try check.sync(owned)
        _ = owned.onDispose { seen.value = pthread_self() }
        owned.dispose()
        // A dispatch queue may run each turn of its guest on another thread, but none of them waits in `dispose`.
        let isElsewhere = pthread_equal(seen.value, pthread_self()) == 0 && seen.value != 0
        check.expect(isElsewhere, "the closure is called on the thread that takes the loop down")
    }

    /// Each closure is called once or its registration is disposed first, whatever the threads do.
    private static func fromManyThreads(_ check: Check) throws {
        for _ in 0..<check.rounds(20) {
            let loop = try check.loop()
            let (calls, isReady) = (Recorder<Int>(), Latch(3))
            let workers = (0..<3).map { worker in
                check.thread {
                    isReady.arrive()
                    for number in 0..<100 {
                        let handle = loop.onDispose { calls.append(worker * 100 + number) }
                        if number % 10 == 9 { handle.dispose() }
                    }
                }
            }
            try check.wait(for: isReady, "the threads have started")
            loop.dispose()
            for worker in workers { worker.join() }
            let numbers = calls.values
            check.equal(Set(numbers).count, numbers.count, "closures called, each once")
            check.expect(numbers.filter { $0 % 10 != 9 }.count == 270, "the closures of 270 registrations are called")
        }
    }

    /// A registration neither keeps the loop alive nor retains it.
    private static func withoutReferences(_ check: Check) throws {
        let calls = Box(0)
        let handle = try { () -> any Disposable in
            let loop = try check.loop()
            let handle = loop.onDispose { calls.increment() }
            if check.has(.ownRun) { try loop.runUntilIdle() }
            loop.dispose()
            return handle
        }()
        check.equal(calls.value, 1, "calls")
        handle.dispose()
    }
}
