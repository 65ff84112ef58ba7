// SPDX-License-Identifier: MIT
import Dispatch
import Glibc
import LoopTestSupport
import ReactiveCore
import ReactiveSupport
import SchedulerConformance
import SchedulerDispatch

/// Each attempt is its own process, in which a main loop is used for the first time.
func firstUseElsewhere(_ kind: LoopKind) {
    let tries = 500
    let result = OwnProgram.failures(among: tries, "firstUseOnce", kind.rawValue)
    check(
        result.count == 0,
        "\(result.count) of \(tries) first uses failed, the first: \(String(describing: result.first))"
    )
}

/// One attempt. The number says how much later than the main thread the other thread uses the loop.
func firstUseOnce(_ kind: LoopKind) throws {
    alarm(60)
    let delay = (Int(CommandLine.arguments.last ?? "") ?? 0) % 50
    let isReady = Box(false)
    let thread = SystemThread.orTrap(name: "toucher") {
        isReady.value = true
        for _ in 0..<delay { _ = isReady.value }
        kind.main.execute { kind.main.stop() }
    }
    while !isReady.value {}
    try kind.main.run()
    thread.join()
    _exit(0)
}

/// Jobs and timers from other threads all run when the main queue serves the loop, although the main thread first
/// runs it one turn at a time.
///
/// An earlier failure, with `P` a thread that posts and `M` the main thread (rule M9):
///
///     P: reads mayCallHost == true between two runs
///     M: begins a run: mayCallHost = false, the host is suspended
///     P: asks the host, which is suspended: it need not be called
///     M: ends the run: the host resumes; mayCallHost = true
///     P: mayCallHost = false, from the outdated answer: from now on a post does not call the host
///
/// The same with `T`, a thread that sets a timer:
///
///     M: ends the run: finds no remaining work, and returns the state; the host is still suspended
///     T: borrows the state, sets a timer; mayCallHost is still false, so the host is not called
///     M: notifies the host; mayCallHost = true; no work was found, so the timer is lost
func nothingIsLost(_ tries: Int) {
    let result = OwnProgram.failures(among: tries, "lostOnce", LoopKind.dispatch.rawValue)
    check(
        result.count == 0,
        "\(result.count) of \(tries) processes waited for good: \(String(describing: result.first))"
    )
}

/// One attempt.
func nothingIsLostOnce() throws {
    alarm(60)
    let loop = DispatchLoop.main
    let (given, done) = (Box(0), Box(0))
    let isOver = Box(false)
    let threads = (0..<3).map { index in
        SystemThread.orTrap(name: "poster") {
            while !isOver.value {
                // Otherwise the threads of a busy machine submit more than the loop can run before the alarm.
                if given.value - done.value > 1000 {
                    sched_yield()
                    continue
                }
                given.increment()
                if index == 0 {
                    loop.schedule(after: .microseconds(10)) { done.increment() }
                } else {
                    loop.execute { done.increment() }
                }
                sched_yield()
            }
        }
    }
    for _ in 0..<200 { try loop.runOnce(waiting: false) }
    isOver.value = true
    for thread in threads { thread.join() }
    // In every second process, another thread submits one more job when the main queue is served. That job would also
    // run a lost timer.
    let hasOneMore = (Int(CommandLine.arguments.last ?? "") ?? 0) % 2 == 0
    DispatchQueue.main.async {
        _ = SystemThread.orTrap(name: "last") {
            if hasOneMore {
                given.increment()
                loop.execute { done.increment() }
            }
            while done.value < given.value { Platform.pause(.microseconds(200)) }
            _exit(0)
        }
    }
    dispatchMain()
}
