import Dispatch
import Glibc
import LoopTestSupport
import ReactiveCore
import ReactiveSupport
import SchedulerConformance
import SchedulerDispatch

/// Each try is a process of its own, in which a main loop is used for the first time.
func firstUseElsewhere(_ kind: LoopKind) {
    let tries = 500
    let result = OwnProgram.failures(among: tries, "firstUseOnce", kind.rawValue)
    check(
        result.count == 0,
        "\(result.count) of \(tries) first uses failed, the first: \(String(describing: result.first))"
    )
}

/// One of them; the number says how much later than the main thread the other one comes.
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

/// Posts and timers of other threads, while the main thread runs its loop for one turn at a time, all run when the main queue serves it.
///
/// What went wrong once, with `P` a thread that posts and `M` the main thread (rule M9):
///
///     P: reads mayCallHost == true between two runs
///     M: begins a run: mayCallHost = false, the host stands back
///     P: asks the host, which stands back: it need not be called
///     M: ends the run: the host takes over; mayCallHost = true
///     P: mayCallHost = false, by the answer that is out of date: from now on a post calls nobody
///
/// And with `T`, a thread that sets a timer:
///
///     M: ends the run: looks at what is left (nothing), and gives the state back; the host still stands back
///     T: borrows the state, sets a timer; mayCallHost is false still, so it calls nobody
///     M: tells the host; mayCallHost = true; what was left is nothing: the timer is nobody's
func nothingIsLost(_ tries: Int) {
    let result = OwnProgram.failures(among: tries, "lostOnce", LoopKind.dispatch.rawValue)
    check(
        result.count == 0,
        "\(result.count) of \(tries) processes waited for good: \(String(describing: result.first))"
    )
}

/// One of them.
func nothingIsLostOnce() throws {
    alarm(20)
    let loop = DispatchLoop.main
    let (given, done) = (Box(0), Box(0))
    let isOver = Box(false)
    let threads = (0..<3).map { index in
        SystemThread.orTrap(name: "poster") {
            while !isOver.value {
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
    // In every other process one more, by a thread that comes when the main queue is served; it would bring along a timer that is lost.
    let hasOneMore = (Int(CommandLine.arguments.last ?? "") ?? 0) % 2 == 0
    DispatchQueue.main.async {
        _ = SystemThread.orTrap(name: "last") {
            if hasOneMore {
                given.increment()
                loop.execute { done.increment() }
            }
            while done.value < given.value { Machine.pause(.microseconds(200)) }
            _exit(0)
        }
    }
    dispatchMain()
}
