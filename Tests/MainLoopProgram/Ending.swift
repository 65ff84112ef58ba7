import Dispatch
import Glibc
import LoopTestSupport
import ReactiveCore
import ReactiveSupport
import Refusals
import SchedulerConformance
import SchedulerEngine

/// A host that lets another thread act in the middle of a run's end: when the loop has looked at what is left, and before the loop
/// calls the host for what comes.
private final class SlowHost: YieldingHost {
    let isHere: Bool? = true
    let calls = Box(0)
    let atEnd = Box<(@Sendable () -> Void)?>(nil)

    func attach(_ descriptor: Int32, turn: @escaping @Sendable () -> Void) {}
    func detach() {}
    func begin() {}
    func runWillBegin() {}
    func runDidEnd() { atEnd.value?() }

    func call() -> YieldingHostAnswer {
        calls.increment()
        return .isCalled
    }
}

/// Whatever another thread does while a run ends, work that is given later calls the host (rule M9).
///
/// What went wrong once, with `P` another thread and `M` the main thread:
///
///     M: ends the run: looks at what is left (nothing), and says that it waits
///     P: stops the loop, or gives work and cancels it: the loop does not wait any more; mayCallHost is false still, so it calls nobody
///     M: mayCallHost = true; no work is left, so it calls nobody
///     P: gives work: the loop does not wait, so it calls nobody
func actsAtTheEnd() throws {
    let host = SlowHost()
    let loop = EpollLoop.mainLoop { host }
    let acts: [(String, @Sendable () -> Void)] = [
        ("nothing", {}),
        ("a stop", { loop.stop() }),
        ("work", { loop.execute {} }),
        ("cancelled work", { for _ in 0..<64 { loop.schedule {}.dispose() } }),
        ("cancelled timers", { for _ in 0..<64 { loop.schedule(after: .seconds(60)) {}.dispose() } }),
    ]
    for (what, act) in acts {
        host.atEnd.value = { SystemThread.orTrap(name: "actor", act).join() }
        try loop.runOnce(waiting: false)
        host.atEnd.value = nil
        SystemThread.orTrap(name: "poster") { loop.execute {} }.join()
        check(host.calls.value > 0, "work after \(what) at the run's end calls nobody")
        try loop.turns(3)
        host.calls.value = 0
    }
}

private actor OnMain {
    private let kind: LoopKind
    private(set) var count = 0

    init(_ kind: LoopKind) { self.kind = kind }

    nonisolated var unownedExecutor: UnownedSerialExecutor { kind.main.asUnownedSerialExecutor() }

    func increment() { count += 1 }
}

/// Without a descriptor for the main loop, jobs of an actor on it run elsewhere: the loop that refuses everything stays (rules E3, X7).
func actorWithoutDescriptors(_ kind: LoopKind) {
    guard refusals_are_possible() else { return print("skipped under a sanitizer") }
    let actor = OnMain(kind)
    // Only the loop's eventfd: libdispatch opens files of /proc for its threads, and ends the process if it gets no descriptor.
    refuse(REFUSABLE_EVENTFD.rawValue, EMFILE, 0, .max)
    check(kind.main.isDisposed, "the main loop was made without descriptors")
    let done = DispatchSemaphore(value: 0)
    for _ in 0..<20 {
        Task.detached {
            for _ in 0..<10 { await actor.increment() }
            done.signal()
        }
    }
    for _ in 0..<20 { done.wait() }
    refuse_nothing()
    check(!kind.main.isDisposed, "the main loop was not made with descriptors")
}
